"""Networks computed without torch, and their export."""
