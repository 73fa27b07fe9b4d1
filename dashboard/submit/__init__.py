"""The parts of the page that takes somebody's run."""
