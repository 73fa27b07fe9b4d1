"""Use cases above training: evaluation, sweeps, publication, the demo."""
