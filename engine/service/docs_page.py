"""The page of the description, at /docs. It loads nothing from elsewhere: Swagger UI lies in a package."""

from functools import cache
from importlib import resources

from fastapi import APIRouter
from fastapi.responses import Response
from starlette.exceptions import HTTPException

router = APIRouter(include_in_schema=False)

_FILES = {"swagger-ui-bundle.js": "text/javascript", "swagger-ui.css": "text/css", "favicon.png": "image/png"}

# Swagger UI writes style attributes and draws its signs from data addresses; scripts come from here alone.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Featherboard API</title>
<link rel="icon" href="docs/favicon.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="description"><noscript>Without JavaScript, read <a href="openapi.json">openapi.json</a>.</noscript></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
"""

# validatorUrl: by default a badge is asked for from a server elsewhere.
_START = """SwaggerUIBundle({
  url: new URL("openapi.json", document.baseURI).href, dom_id: "#description", deepLinking: true, validatorUrl: null,
});
"""


@router.get("/docs")
async def page() -> Response:
    """The page."""
    return Response(_PAGE, media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": _POLICY})


@router.get("/docs/{name}")
async def file(name: str) -> Response:
    """A file that the page needs."""
    if name == "start.js":
        return Response(_START, media_type="text/javascript")
    if name not in _FILES:
        raise HTTPException(404)
    return Response(_content(name), media_type=_FILES[name], headers={"Cache-Control": "max-age=86400"})


@cache
def _content(name: str) -> bytes:
    return (resources.files("fastapi_offline") / "static" / name).read_bytes()
