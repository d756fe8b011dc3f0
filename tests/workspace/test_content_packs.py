"""Contents in packs: kept, found again, taken out for good, whoever else writes."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kinet.workspace import content_packs
from kinet.workspace.content_store import ContentStore


def _on_disk(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_contents_are_found_again_by_the_next_program(tmp_path: Path) -> None:
    store = ContentStore(tmp_path)
    texts = [b"", b"one", b"two" * 100_000, b"three" * 1_000]
    digests = [store.put(text) for text in texts]
    assert digests == [hashlib.sha256(text).hexdigest() for text in texts]
    for each in (store, ContentStore(tmp_path)):
        assert [each.get(digest) for digest in digests] == texts
        assert each.total == sum(map(len, texts))
    # The small ones share a file.
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 2


def test_what_was_removed_is_gone_from_the_disk_and_the_rest_stays(tmp_path: Path) -> None:
    store = ContentStore(tmp_path)
    secret, plain = store.put(b"a secret"), store.put(b"plain words")
    store.begin_removal()
    store.remove([secret])
    assert store.get(secret) is None
    assert not store.has(secret)
    assert b"a secret" not in _on_disk(tmp_path)
    assert store.get(plain) == ContentStore(tmp_path).get(plain) == b"plain words"
    assert store.get(store.put(b"more")) == b"more"
    store.remove([plain, hashlib.sha256(b"more").hexdigest()])
    assert store.total == 0
    assert _on_disk(tmp_path) == b""


def test_one_that_another_program_writes_is_blanked_there(tmp_path: Path) -> None:
    writing = ContentStore(tmp_path)
    first, second = writing.put(b"first secret"), writing.put(b"second")
    other = ContentStore(tmp_path)
    other.remove([first])
    assert b"first secret" not in _on_disk(tmp_path)
    third = writing.put(b"third")
    again = ContentStore(tmp_path)
    assert [again.get(each) for each in (first, second, third)] == [None, b"second", b"third"]
    assert not again.has(first)
    # The one who writes hears of it when it asks.
    assert writing.get(first) is None


def test_all_copies_of_a_content_go(tmp_path: Path) -> None:
    one, two = ContentStore(tmp_path), ContentStore(tmp_path)
    two.has("")
    digest = one.put(b"a secret")
    assert two.put(b"a secret") == digest
    two.put(b"another")
    ContentStore(tmp_path).remove([digest])
    assert b"a secret" not in _on_disk(tmp_path)


def test_a_pack_that_was_put_together_anew_is_read_anew(tmp_path: Path) -> None:
    writer = ContentStore(tmp_path)
    digests = [writer.put(text) for text in (b"one", b"two", b"three")]
    reader = ContentStore(tmp_path)
    assert reader.has(digests[2])
    writer.remove([digests[0]])
    assert reader.get(digests[2]) == b"three"


def test_a_pack_that_was_broken_off_keeps_what_is_whole(tmp_path: Path) -> None:
    store = ContentStore(tmp_path)
    first, second = store.put(b"first"), store.put(b"second")
    (pack,) = tmp_path.rglob("*.pack")
    pack.write_bytes(pack.read_bytes()[:-1])
    after = ContentStore(tmp_path)
    assert (after.get(first), after.get(second)) == (b"first", None)
    # It is kept anew, for it is not there.
    assert after.get(after.put(b"second")) == b"second"


def test_a_full_disk_loses_what_came_last_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ContentStore(tmp_path)
    first = store.put(b"first")

    def half(descriptor: int, data: bytes) -> None:
        content_packs.os.write(descriptor, data[:7])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr("kinet.core.atomic_write.write_all", half)
        with pytest.raises(OSError, match="No space"):
            store.put(b"second")
    third = store.put(b"third")
    after = ContentStore(tmp_path)
    assert (after.get(first), after.get(third)) == (b"first", b"third")
    assert not after.has(hashlib.sha256(b"second").hexdigest())


_ACTS = st.lists(
    st.tuples(st.sampled_from(["put", "remove", "open"]), st.integers(0, 2), st.integers(0, 9)),
    max_size=40,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_ACTS)
def test_several_stores_on_one_folder_never_give_wrong_bytes(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("contents")
    stores = [ContentStore(folder) for _ in range(3)]
    texts = [bytes([65 + number]) * (number * 50) for number in range(10)]
    names = [hashlib.sha256(text).hexdigest() for text in texts]
    for act, which, number in acts:
        if act == "open":
            stores[which] = ContentStore(folder)
        elif act == "put":
            assert stores[which].put(texts[number]) == names[number]
        else:
            stores[which].begin_removal()
            stores[which].remove([names[number]])
            assert not stores[which].has(names[number])
    for store in [*stores, ContentStore(folder)]:
        for name, text in zip(names, texts, strict=True):
            assert store.get(name) in (text, None)
    last = ContentStore(folder)
    assert all(
        last.get(name) == text for name, text in zip(names, texts, strict=True) if last.has(name)
    )
