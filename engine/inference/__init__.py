"""Trying models: which there are, a bounded number of them in memory, and answers with what they cost.

The dashboard's playground and the HTTP service both stand on this; it knows neither. ``choices``, ``samples``,
``hub`` and ``errors`` work without torch.
"""
