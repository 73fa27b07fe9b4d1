"""The same predictions and the board's figures for other programs: a small HTTP service, JSON in and JSON out.

It reads the board and never writes to it. ``app.create`` makes the application, ``app.serve`` binds it; computing is
done by the desk of ``engine.inference``, one thread for all who ask.
"""
