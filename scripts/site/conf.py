"""The printed pages: Sphinx reads Markdown as GitHub shows it. site.ts gives version and date."""

import os

from pygments.lexers import TextLexer, YamlLexer
from sphinx.highlighting import lexers

# Languages of blocks that Pygments has no name for.
lexers.update(cwl=YamlLexer(), csv=TextLexer(), kdl=TextLexer())

project = "Torc"
version = release = os.environ["TORC_SITE_VERSION"]
html_title = f"Torc {version}"
extensions = ["myst_parser"]
# No directives or roles: a page reads the same in the repository and here.
myst_gfm_only = True
# Headings have the anchors that GitHub gives them.
myst_heading_anchors = 6
html_theme = "furo"
templates_path = ["_templates"]
# Bytes depend on the pages alone.
html_last_updated_fmt = None
html_show_copyright = False
html_copy_source = False
html_use_index = False
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "versions.html",
        "sidebar/scroll-end.html",
    ]
}
