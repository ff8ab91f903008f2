"""A report as one page, and its pictures: charts as values, drawn as SVG. Pure functions."""
