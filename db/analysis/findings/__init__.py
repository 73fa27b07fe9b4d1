"""What the runs of a board teach together: distillation and its settings, pretraining, more data, parts left out."""
