"""Is each oddity of a list of videos read right, or refused with file, row, column and what to do?"""

import json
from pathlib import Path
from typing import Any

import pytest

from collector.catalogue.sources import MAX_LINE, Problem, Row, read

HEADER = "id,subject,scene,quality,relevance,verified,script,objects,descriptions,actions,length"


def charades(tmp_path: Path, *rows: str, header: str = HEADER) -> Path:
    path = tmp_path / "list.csv"
    path.write_bytes("".join(f"{line}\r\n" for line in (header, *rows)).encode())
    return path


def line(**fields: str) -> str:
    values = {
        "id": "Q1W2E", "subject": "ZZ99", "scene": "Kitchen", "quality": "6", "relevance": "7", "verified": "Yes",
        "script": "A person peels an apple.", "objects": "apple;knife", "descriptions": "One peels.;Two peel.",
        "actions": "c063 1.00 4.50", "length": "12.00",
    } | fields  # fmt: skip
    return ",".join(f'"{value}"' if "," in value or '"' in value else value for value in values.values())


def manifest(tmp_path: Path, *values: Any) -> Path:
    path = tmp_path / "list.jsonl"
    path.write_text("".join((value if isinstance(value, str) else json.dumps(value)) + "\n" for value in values))
    return path


def row(source: Path) -> Row:
    (only,) = read(source)
    assert isinstance(only, Row), only
    return only


def problem(source: Path) -> str:
    try:
        found = list(read(source))
    except Problem as error:
        return str(error)
    (text,) = [str(item) for item in found if isinstance(item, Problem)]
    return text


def test_a_charades_row_is_read_with_all_its_columns(tmp_path: Path) -> None:
    got = row(charades(tmp_path, line()))
    assert (got.image_id, got.script, got.length, got.number) == ("Q1W2E", "A person peels an apple.", 12.0, 2)
    assert got.metadata == {
        "subject": "ZZ99", "scene": "Kitchen", "quality": 6, "relevance": 7, "verified": "Yes",
        "objects": ["apple", "knife"], "descriptions": "One peels.;Two peel.",
        "actions": [{"class": "c063", "start": 1.0, "end": 4.5}],
    }  # fmt: skip


def test_the_header_without_objects_is_read_too(tmp_path: Path) -> None:
    header = HEADER.replace(",objects", "")
    got = row(charades(tmp_path, line().replace(",apple;knife", ""), header=header))
    assert "objects" not in got.metadata
    assert got.length == 12.0


def test_commas_semicolons_and_double_spaces_of_a_script_stay(tmp_path: Path) -> None:
    script = "A person sits,  eats; then leaves."
    assert row(charades(tmp_path, line(script=script))).script == script


def test_a_byte_order_mark_blank_lines_and_unix_line_ends_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_bytes(b"\xef\xbb\xbf\n" + f"{HEADER}\n\n{line()}\n\n".encode())
    assert row(path).number == 4


def test_empty_ratings_are_nothing(tmp_path: Path) -> None:
    got = row(charades(tmp_path, line(quality="", relevance="")))
    assert (got.metadata["quality"], got.metadata["relevance"]) == (None, None)


def test_a_scene_with_commas_and_a_slash_is_kept(tmp_path: Path) -> None:
    scene = "Study / Den (A room, for work)"
    assert row(charades(tmp_path, line(scene=scene))).metadata["scene"] == scene


def test_objects_may_hold_slashes_and_may_be_empty(tmp_path: Path) -> None:
    assert row(charades(tmp_path, line(objects="mug/jar;shoe"))).metadata["objects"] == ["mug/jar", "shoe"]
    assert row(charades(tmp_path, line(objects=""))).metadata["objects"] == []


def test_no_actions_are_an_empty_list(tmp_path: Path) -> None:
    assert row(charades(tmp_path, line(actions=""))).metadata["actions"] == []


def test_an_action_is_cut_at_the_end_of_the_video(tmp_path: Path) -> None:
    assert row(charades(tmp_path, line(actions="c001 3.00 15.50"))).metadata["actions"][0]["end"] == 12.0


@pytest.mark.parametrize("text", ["c001 5.00 5.00", "c001 6.00 5.00", "c001 13.00 14.00"])
def test_an_action_that_lasts_no_time_is_kept_apart(tmp_path: Path, text: str) -> None:
    metadata = row(charades(tmp_path, line(actions=f"c002 0.00 1.00;{text}"))).metadata
    assert [action["class"] for action in metadata["actions"]] == ["c002"]
    assert metadata["unusable_actions"] == [text]


@pytest.mark.parametrize(
    ("fields", "column", "words"),
    [
        ({"script": "  "}, "script", "empty"),
        ({"length": "12 s"}, "length", "no number"),
        ({"length": "nan"}, "length", "no number"),
        ({"length": "-3"}, "length", "no number"),
        ({"length": "0.0"}, "length", "no number"),
        ({"quality": "good"}, "quality", "no number"),
        ({"actions": "c001 1.0"}, "actions", "no action"),
        ({"id": "../up"}, "id", "no path"),
        ({"id": "a/b"}, "id", "no path"),
        ({"id": "a\\b"}, "id", "no path"),
        ({"id": ""}, "id", "cannot be an id"),
        ({"id": "A" * 65}, "id", "cannot be an id"),
        ({"script": "a\x00b"}, "script", "cannot be stored"),
    ],
)
def test_a_bad_value_is_named_by_file_row_and_column(
    tmp_path: Path, fields: dict[str, str], column: str, words: str
) -> None:
    source = charades(tmp_path, line(id="FIRST"), line(**fields))
    text = problem(source)
    assert text.startswith(f"{source}, row 3, column {column}: ")
    assert words in text


def test_a_missing_column_is_named_with_those_found(tmp_path: Path) -> None:
    text = problem(charades(tmp_path, "A,b", header="id,text"))
    assert "row 1, column script: There is no column 'script' (found: id, text)." in text


def test_a_column_that_stands_twice_is_refused(tmp_path: Path) -> None:
    assert "column script: Two columns" in problem(charades(tmp_path, header="id,script,script"))


@pytest.mark.parametrize("text", ["A,b,c", "A"])
def test_too_many_or_too_few_columns_are_refused(tmp_path: Path, text: str) -> None:
    assert "row 2: It has" in problem(charades(tmp_path, text, header="id,script"))


def test_a_stray_quote_is_refused_and_the_rows_before_stay(tmp_path: Path) -> None:
    items = list(read(charades(tmp_path, "A,b", '"B"x,c', "C,d", header="id,script")))
    assert [item.image_id if isinstance(item, Row) else item.row for item in items] == ["A", 3, "C"]


def test_a_quote_that_never_ends_is_refused(tmp_path: Path) -> None:
    assert "row 2: This is no CSV" in problem(charades(tmp_path, 'A,"b', header="id,script"))


def test_an_empty_file_a_binary_one_and_a_missing_one_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("\n \n")
    assert "empty" in problem(path)
    path.write_bytes(b"id,script\nA,\xff\xfe\n")
    assert "UTF-8" in problem(path)
    assert "cannot be read" in problem(tmp_path / "none.csv")
    assert "cannot be read" in problem(tmp_path)


def test_a_line_without_end_does_not_fill_the_memory(tmp_path: Path) -> None:
    assert "longer than" in problem(manifest(tmp_path, "{" + "x" * (MAX_LINE + 1)))


def test_a_manifest_is_recognised_by_its_content(tmp_path: Path) -> None:
    value = {"id": "A", "file": "sub/a.webm", "script": "…", "split": "val", "licence": "CC BY", "publishable": True}
    path = manifest(tmp_path, "", value | {"length": 3, "camera": {"lens": [1]}}).rename(tmp_path / "list.csv")
    assert row(path) == Row(2, "A", "…", "sub/a.webm", "val", 3.0, "CC BY", True, {"camera": {"lens": [1]}})


def test_a_manifest_needs_only_id_and_script(tmp_path: Path) -> None:
    assert row(manifest(tmp_path, {"id": "A", "script": "b"})) == Row(1, "A", "b")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("{bad", "row 2: This is no JSON"),
        ("[1]", "row 2: This is no JSON object"),
        ('{"id": "A", "script": "b", "x": NaN}', "row 2: This is no JSON"),
        ({"id": "A"}, "row 2, column script: There is no 'script'"),
        ({"id": 7, "script": "b"}, "row 2, column id: 7 is no text"),
        ({"id": "A", "script": None}, "row 2, column script: None is no text"),
        ({"id": "A", "script": ""}, "row 2, column script: The script is empty"),
        ({"id": "A", "script": "b", "split": "dev"}, "row 2, column split: 'dev' is no split"),
        ({"id": "A", "script": "b", "file": "/etc/a.mp4"}, "row 2, column file:"),
        ({"id": "A", "script": "b", "file": "x/../../a.mp4"}, "row 2, column file:"),
        ({"id": "A", "script": "b", "file": "..\\a.mp4"}, "row 2, column file:"),
        ({"id": "A", "script": "b", "length": True}, "row 2, column length:"),
        ({"id": "A", "script": "b", "publishable": "yes"}, "row 2, column publishable:"),
        ({"id": "A", "script": "b", "note": ["\ud800"]}, "row 2, column note:"),
        ({"id": "A", "script": "b", "licence": "x" * 101}, "row 2, column licence:"),
    ],
)
def test_a_bad_line_of_a_manifest_is_named(tmp_path: Path, value: Any, words: str) -> None:
    assert words in problem(manifest(tmp_path, {"id": "FIRST", "script": "b"}, value))
