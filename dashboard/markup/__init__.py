"""Markup of pages that the published site shares: templates with every text escaped, tables whose heads sort."""
