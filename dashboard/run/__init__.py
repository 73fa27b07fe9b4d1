"""The parts of the page of one run; each module draws one, ``dashboard.views.run`` puts them in their places."""
