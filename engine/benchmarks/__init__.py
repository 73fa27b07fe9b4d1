"""How fast models are on this machine, and how much memory they take: ``featherboard bench``.

Nothing but ``worker`` imports torch. It is a process of its own for each model, precision and round, so that its peak
memory is its own and a model that does not fit ends nothing but itself; what starts it stays small.
"""
