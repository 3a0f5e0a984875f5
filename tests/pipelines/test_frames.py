"""Pages that only say what the browser lacks (the book, 9.6)."""

import pytest

from crawldb.page import CanonicalUrl, Page
from pipelines import frames

URL = CanonicalUrl("http://site.example/x")


@pytest.mark.parametrize(
    "text",
    [
        "Your browser does not support frames.",
        "This page uses frames, but your browser doesn't support them.",
        "Sorry, you need a browser that can show frames. Frames are not supported.",
        "Ihr Browser unterstützt keine Frames.",
        "Ihr Browser kann Frames leider nicht anzeigen.",
        "Votre navigateur ne prend pas en charge les cadres.",
        "Ваш браузер не поддерживает фреймы.",
        "このページはフレーム未対応のブラウザでは表示できません。",
        "이 브라우저는 프레임을 지원하지 않습니다.",
    ],
)
def test_a_page_that_only_speaks_of_frames_is_refused(text: str) -> None:
    refusal = frames.refusal(Page(URL, "Welcome", text))
    assert refusal is not None
    assert refusal.rule == "frames"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Frames of wood do not bend.", id="other frames"),
        pytest.param("Welcome to the site.", id="nothing about frames"),
        pytest.param(
            "Your browser does not support frames. " + "The whole text follows. " * 30, id="with a text of its own"
        ),
    ],
)
def test_a_page_with_something_to_say_is_kept(text: str) -> None:
    assert frames.refusal(Page(URL, "Welcome", text)) is None
