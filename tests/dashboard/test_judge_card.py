"""The Judges page shows what is published of the judge that judged, beside its accuracy on own labels."""

from collections.abc import Iterator

import pytest

from steelyard.access.services import Services
from steelyard.config import Settings
from steelyard.judges.public_card import shipped_card
from steelyard.server.app import create_app
from steelyard.server.serving import serving

from .conftest import Site

pytest.importorskip("steelyard_judge", reason="the weights are not installed")


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    settings = Settings(data=tmp_path_factory.mktemp("embedded"), judge="embedded")
    held: list[Services] = []
    with serving(create_app(settings, on_ready=held.append)) as url:
        gate = held[0].gate
        found = Site(url, held[0], gate.log_in(gate.login_token()))
        event = {
            "task": "How long do refunds take?",
            "context": [{"id": "a", "text": "Refunds take 14 days."}],
        }
        found.project("default", [event])
        yield found


def test_the_public_card_stands_beside_ones_own_labels(embedded: Site) -> None:
    card = shipped_card()
    assert card is not None
    with embedded.http() as http:
        (shown,) = http.get("/judges.json").json()["cards"]
        page = http.get("/judges").text
        answer = http.get(f"/v1/judges/{shown['judge']['judge_id']}/card").json()
    assert shown["public"] == answer["public"] == card.model_dump(mode="json")
    assert "On public sets" in page
    for one in card.sets:
        assert f'<th scope="row">{one.name}</th>' in page


def test_a_judge_that_is_not_shipped_has_none(site: Site) -> None:
    with site.http() as http:
        assert {card["public"] for card in http.get("/judges.json").json()["cards"]} == {None}
        assert "On public sets" not in http.get("/judges").text
