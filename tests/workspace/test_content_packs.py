"""Contents in packs: kept, found again, taken out for good, whoever else writes."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kinet.core import atomic_write
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


def test_what_is_removed_is_known_by_its_bytes_and_not_by_where_it_was(tmp_path: Path) -> None:
    writer = ContentStore(tmp_path)
    first, second, third = (writer.put(text) for text in (b"aaaa", b"bbbb", b"cccc"))
    other = ContentStore(tmp_path)
    assert other.has(second)
    # The second lies where the first was, and the third where the second was.
    writer.remove([first])
    other.remove([second])
    again = ContentStore(tmp_path)
    assert [again.get(each) for each in (first, second, third)] == [None, None, b"cccc"]


def test_what_others_have_added_meanwhile_stays(tmp_path: Path) -> None:
    writer = ContentStore(tmp_path)
    first = writer.put(b"one")
    other = ContentStore(tmp_path)
    assert other.has(first)
    second, third = writer.put(b"two"), writer.put(b"three")
    writer.remove([third])
    other.remove([first])
    assert other.get(second) == ContentStore(tmp_path).get(second) == b"two"
    assert other.get(first) is None


def test_copies_that_others_have_written_meanwhile_go_too(tmp_path: Path) -> None:
    one, two = ContentStore(tmp_path), ContentStore(tmp_path)
    two.has("")
    digest = one.put(b"a secret")
    two.put(b"a secret")
    one.remove([digest])
    assert b"a secret" not in _on_disk(tmp_path)


def _full(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_full_disk_keeps_nothing_that_is_to_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = ContentStore(tmp_path)
    secret, plain = writer.put(b"a secret"), writer.put(b"plain words")
    writer.remove([writer.put(b"ends the pack")])
    store = ContentStore(tmp_path)
    monkeypatch.setattr(atomic_write, "write_bytes", _full)
    store.remove([secret])
    assert not store.has(secret)
    assert b"a secret" not in _on_disk(tmp_path)
    assert store.get(plain) == b"plain words"
    # Nor does a system that removes no file which somebody has open.
    unlink = Path.unlink
    monkeypatch.setattr(
        Path, "unlink", lambda path, **how: _full() if path.suffix else unlink(path, **how)
    )
    store.remove([plain])
    assert not store.has(plain)
    assert b"plain words" not in _on_disk(tmp_path)


def test_what_goes_as_a_whole_goes_first_and_makes_room_for_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = (b"one", b"two", b"three")
    one, two, three = (hashlib.sha256(text).hexdigest() for text in texts)
    first, second = content_packs.ContentPacks(tmp_path), content_packs.ContentPacks(tmp_path)
    first.put(one, b"one")
    first.put(two, b"two")
    second.put(three, b"three")
    del first, second
    packs = content_packs.ContentPacks(tmp_path)
    write, rooms = atomic_write.write_bytes, []

    def counted(path: Path, data: bytes) -> None:
        rooms.append(len(list(tmp_path.iterdir())))
        write(path, data)

    monkeypatch.setattr(atomic_write, "write_bytes", counted)
    packs.remove([one, three])
    assert rooms == [1]
    assert (packs.get(one), packs.get(two), packs.get(three)) == (None, b"two", None)


def test_a_pack_that_cannot_be_changed_keeps_no_other_and_nothing_is_taken_for_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ContentStore(tmp_path)
    packed, alone = store.put(b"packed"), store.put(b"alone", durable=True)
    monkeypatch.setattr(content_packs.ContentPacks, "_take_out", _full)
    store.remove([packed, alone])
    assert store.has(packed)
    assert not store.has(alone)
    assert store.get(store.put(b"alone")) == b"alone"


def test_half_a_record_that_cannot_be_cut_off_hides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ContentStore(tmp_path)
    first = store.put(b"one")

    def half(descriptor: int, data: bytes) -> None:
        os.write(descriptor, data[:20])
        _full()

    with monkeypatch.context() as broken:
        broken.setattr(atomic_write, "write_all", half)
        broken.setattr(os, "ftruncate", _full)
        with pytest.raises(OSError, match="No space"):
            store.put(b"two")
    third = store.put(b"three")
    assert [ContentStore(tmp_path).get(each) for each in (first, third)] == [b"one", b"three"]


@pytest.mark.parametrize("size", [10, content_packs.LARGEST + 1])
def test_what_is_kept_already_is_brought_to_the_disk_once_it_has_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    store, data = ContentStore(tmp_path), b"x" * size
    synced: list[os.stat_result] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor)))
    store.put(data)
    assert not synced
    store.put(data, durable=True)
    assert any(status.st_size >= size and stat.S_ISREG(status.st_mode) for status in synced)
    synced.clear()
    store.put(data, durable=True)
    assert not synced
    # More has come into the pack since.
    store.put(b"more")
    store.put(b"more", durable=True)
    assert synced


@pytest.mark.parametrize("size", [10, content_packs.LARGEST + 1])
def test_what_a_loss_of_power_has_damaged_is_kept_anew(tmp_path: Path, size: int) -> None:
    data = b"x" * size
    ContentStore(tmp_path).put(data)
    (place,) = (path for path in tmp_path.rglob("*") if path.is_file())
    place.write_bytes(place.read_bytes()[:-5] + bytes(5))
    store = ContentStore(tmp_path)
    digest = hashlib.sha256(data).hexdigest()
    assert store.has(digest)
    assert store.get(digest) is None
    store.put(data, durable=True)
    assert store.get(digest) == ContentStore(tmp_path).get(digest) == data
