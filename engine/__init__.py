"""What makes numbers: recipes, models, training, distillation, evaluation.

torch, transformers and datasets live here and nowhere else, and are imported only by the modules that compute, so that
``featherboard db`` and ``featherboard serve`` work without the ``engine`` extra.
"""
