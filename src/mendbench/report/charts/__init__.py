"""Pictures of a run: geometry as frozen data, drawn by templates of SVG, each beside the table of its figures.

Places across are in per cent of the picture's width and places down in pixels, so that a picture gives way to a narrow screen while its
words stay as large as they are.
"""
