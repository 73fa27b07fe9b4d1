"""The commands of the command line, one module per part of the product."""
