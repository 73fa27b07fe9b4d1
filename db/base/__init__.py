"""Errors, paths, time, secrets and the audit: what everything else stands on."""
