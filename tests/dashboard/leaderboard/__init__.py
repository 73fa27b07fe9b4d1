"""Tests of dashboard.leaderboard."""
