"""The pages: each wires a query, a figure and widgets together."""
