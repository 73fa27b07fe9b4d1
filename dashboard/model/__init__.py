"""One model on one page: scores on all boards, its place among models of its size, its runs."""
