"""The pages. Each is a typed object made by one query and shown twice: as HTML, as JSON at path + `.json`.

`router` serves them all; `login_page` and `error_page` are for those who have no session, or a problem.
"""

from .notices import error_page, login_page
from .routing import router

__all__ = ["error_page", "login_page", "router"]
