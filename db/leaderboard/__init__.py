"""Boards: rows, filters, order, saved views."""
