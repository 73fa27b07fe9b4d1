"""Latency and memory of models on this machine: ``featherboard bench``.

Only ``worker`` imports torch. It runs as a fresh process for each model, precision and round, so that a peak memory is
that of one model, and a model that does not fit ends only its own process.
"""
