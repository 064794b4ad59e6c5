"""Charts of a run: geometry as frozen data, drawn by SVG templates. The table of its figures is next to each chart.

Horizontal positions are in per cent of the chart's width and vertical positions in pixels, so that a chart fits a narrow screen and its
text keeps its size.
"""
