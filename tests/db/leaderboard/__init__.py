"""Tests of db.leaderboard."""
