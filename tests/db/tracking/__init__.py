"""Runs that other people's training code logs."""
