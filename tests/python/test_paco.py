"""tabiya.paco: agreement with the reference library, representations, Ŝako, the player."""

import copy
import json
import pathlib
import pickle
import threading

import numpy as np
import pytest
from tabiya import paco

pyarrow = pytest.importorskip("pyarrow")
CASES = pathlib.Path(__file__).resolve().parents[2] / "crates/paco/tests/data/cases.jsonl.zst"


def cases(kind):
    with pyarrow.CompressedInputStream(pyarrow.OSFile(str(CASES)), "zstd") as file:
        text = file.read().decode()
    return [case for case in map(json.loads, text.splitlines()) if case["kind"] == kind]


def replay(case):
    """The state of a case by the reference's rules; its counter begins at 0."""
    fields = case["start_fen"].split()
    fields[2] = "0"
    state = paco.State(" ".join(fields), compat=True, draw_after=case["draw_after_n_repetitions"])
    for index in case["actions"]:
        state.play(index)
    return state


@pytest.fixture(scope="module")
def states():
    return [(case, replay(case)) for case in cases("state")]


def test_states_agree_with_the_reference(states):
    assert len(states) == 647
    for case, state in states:
        assert state.fen() == case["fen"], case["id"]
        assert [action.index for action in state.legal_actions()] == case["legal"], case["id"]
        assert state.required == case["required"] and state.turn == (case["to_move"] == "w"), case["id"]
        assert (state.outcome or "Running") == case["victory"], case["id"]
        assert list(state.castling) == case["castling"], case["id"]
        assert (state.no_progress, state.en_passant) == (case["no_progress"], case["en_passant"]), case["id"]
        assert (state.promotion, state.half_moves) == (case["promotion"], case["half_move_count"]), case["id"]
        hand = case["hand"]
        expected = hand and {"square": hand["sq"], "piece": hand["piece"], "partner": hand.get("partner")}
        assert state.hand == expected, case["id"]


def test_index_forms_agree_with_the_reference_for_all_options(states):
    compared = 0
    for options in paco.OPTION_SETS:
        name = f"idx_opts{options}"
        known = [(case[name], state) for case, state in states if case.get(name) is not None]
        if known:
            found = paco.indices([state for _, state in known], options)
            assert np.array_equal(found, np.array([indices for indices, _ in known], dtype=np.uint32))
            compared += len(known)
    assert compared > 1000


def test_tensors_masks_and_single_states_agree_with_index_forms(states):
    some = [state for case, state in states if any(case.get(f"idx_opts{n}") for n in paco.OPTION_SETS)][::5]
    assert len(some) > 100
    for options in paco.OPTION_SETS:
        indices, tensors = paco.indices(some, options), paco.tensors(some, options)
        assert indices.shape == (len(some), paco.index_length(options)) and indices.dtype == np.uint32
        assert tensors.shape == (len(some), paco.layers(options), 8, 8) and tensors.dtype == np.float32
        assert np.array_equal(paco.expand(indices, options), tensors)
        # The definition: 33 places of ones, then a number for each layer, the last divided by 100.
        slow = np.zeros((len(some), paco.layers(options), 64), dtype=np.float32)
        for row, values in zip(slow, indices):
            row.reshape(-1)[values[:33]] = 1
            row[25:] = values[33:, None]
            row[-1] /= 100
        assert np.array_equal(slow.reshape(tensors.shape), tensors)
        assert np.array_equal(some[7].tensor(options), tensors[7])
        assert np.array_equal(some[7].indices(options), indices[7])


def test_legal_masks_are_the_legal_actions(states):
    some = [state for _, state in states]
    masks, mirrored = paco.legal_masks(some), paco.legal_masks(some, perspective=True)
    assert masks.shape == (len(some), 132) and masks.dtype == bool
    for state, mask, seen in zip(some, masks, mirrored):
        legal = state.legal_actions()
        assert list(np.nonzero(mask)[0] + 1) == [action.index for action in legal]
        assert set(np.nonzero(seen)[0] + 1) == {action.index_for(state.turn) for action in legal}
    assert any(state.outcome for state in some)


def test_sako_and_threats_agree_with_the_reference(states):
    compared = 0
    for case, state in states:
        if case.get("sako_by_me") is None:
            continue
        compared += 1
        assert state.sako() == case["sako_by_me"] and state.sako_against() == case["sako_by_opp"], case["id"]
        sequences, complete = state.paco_sequences(limit=1_000_000)
        assert complete and len(sequences) == case["paco_end_states_me"], case["id"]
        for sequence in sequences[:2]:
            after = state.copy()
            for action in sequence:
                after.play(action)
            assert after.winner == state.turn and after.outcome.startswith("PacoVictory")
        if case.get("threats_me_opp"):
            found = [state.threats(state.turn), state.threats(not state.turn)]
            assert found == [int(mask, 16) for mask in case["threats_me_opp"]], case["id"]
    assert compared > 100


def test_games_agree_with_the_reference(states):
    games = cases("game")
    assert len(games) == 66
    for case in games[::3]:
        state = replay(case)
        assert state.fen() == case["final_fen"] and (state.outcome or "Running") == case["victory"], case["id"]
        assert len(state.actions) == len(case["actions"])


def test_buffers_of_the_caller_are_filled(states):
    some = [state for case, state in states if case.get("idx_opts1")] * 4
    out = np.full((len(some), 30, 8, 8), 9, dtype=np.float32)
    assert paco.tensors(some, paco.USE_PERSPECTIVE, out=out, threads=3) is out
    assert np.array_equal(out, paco.tensors(some, paco.USE_PERSPECTIVE, threads=1))
    with pytest.raises(ValueError, match=r"out has shape \[1, 2\], expected"):
        paco.indices(some, 0, out=np.zeros((1, 2), dtype=np.uint32))
    with pytest.raises(ValueError, match="C-contiguous"):
        paco.indices(some[:39], 0, out=np.zeros((39, 39), dtype=np.uint32).T)
    frozen = np.zeros((1, 132), dtype=bool)
    frozen.flags.writeable = False
    with pytest.raises(ValueError):
        paco.legal_masks(some[:1], out=frozen)
    with pytest.raises(TypeError):
        paco.indices(some[:1], 0, out=np.zeros((1, 39), dtype=np.float32))
    assert paco.tensors([]).shape == (0, 31, 8, 8) and paco.legal_masks([]).shape == (0, 132)


def test_turns_are_played_in_notation_and_taken_back():
    state = paco.State()
    assert [str(action) for action in state.play_turn("Ng1>f3")] == [str(a) for a in state.actions]
    assert state.turn is False and len(state.turns()) == 20
    state.play_turn("e7>e5")
    state.play({"Lift": 12})
    assert state.hand == {"square": 12, "piece": "P", "partner": None} and state.required == "Place"
    assert state.turn_actions == [paco.Action.lift(12)]
    state.roll_back()
    assert state.hand is None and state.undo_turn() and state.undo() and state.undo()
    assert state == paco.State() and not state.undo()
    turn = state.parse_turn("d2>d4")
    assert state.notation(turn) == "d2>d4" and state == paco.State()


def test_states_are_copied_pickled_and_compared():
    state = paco.State()
    for turn in ["e2>e4", "d7>d5", "e4xd5"]:
        state.play_turn(turn)
    state.play(state.legal_actions()[0])
    for other in [state.copy(), copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))]:
        assert other == state and other.actions == state.actions and other.half_moves == state.half_moves
        other.undo_turn()
        assert other != state
    assert pickle.loads(pickle.dumps(paco.Action(77))) == paco.Action(77)
    assert len({paco.Action(5), paco.Action.lift(4), paco.Action.place(4)}) == 2


def test_matrix_fen_and_picture():
    state = paco.State("4k3/8/8/3a4/8/8/8/4K3 w 7 - - -")
    assert paco.State.from_matrix(state.matrix()).fen().split()[0] == state.fen().split()[0]
    assert state.pieces_at(35) == ("P", "P") and state.pieces_at(0) == (None, None)
    assert state.svg().startswith("<svg") and state._repr_svg_() == state.svg()
    assert state.text().count("\n") >= 8


def test_perft_has_the_known_counts():
    assert [paco.State().perft(depth) for depth in range(1, 7)] == [10, 20, 200, 400, 4472, 8902]


def test_positions_that_hang_the_reference_are_answered():
    for fen in [
        "k7/2I2L2/l2rS1K1/w1T1L1o1/2sQ4/4S1j1/1sLi4/8 b 49 - - -",
        "7s/4k3/b1N5/1tsj2j1/1W2Lo1a/3J1d2/W2l1K2/4l3 w 46 - - -",
    ]:
        assert paco.State(fen).sako() is not None


def test_the_player_wins_when_it_can_and_plays_whole_games():
    state = paco.State("4k3/8/8/8/8/8/4R3/4K3 w 0 - - -")
    choice = paco.Player().choose(state, time=None, depth=2)
    for action in choice.actions:
        state.play(action)
    assert choice.is_win and state.outcome == "PacoVictory(White)" and state.winner is True
    assert paco.Player().choose(state) is None and state.legal_actions() == []
    state, player = paco.State(), paco.Player(seed=5)
    for _ in range(6):
        choice = player.choose(state, depth=1)
        assert state.play_turn(choice.text) == choice.actions and choice.nodes > 0
    first = paco.Player(seed=9).choose(paco.State(), time=None, depth=1)
    assert first == paco.Player(seed=9).choose(paco.State(), time=None, depth=1)


def test_wrong_arguments_say_what_is_wrong():
    with pytest.raises(ValueError, match="'x'|\"x\""):
        paco.State("x")
    with pytest.raises(ValueError, match="cannot lift a1"):
        paco.State().play(paco.Action.lift(0))
    with pytest.raises(ValueError, match="from 1 to 132, not 133"):
        paco.Action(133)
    with pytest.raises(ValueError, match="from 0 to 63, not|64 is not a square"):
        paco.Action.lift(64)
    with pytest.raises(ValueError, match="King"):
        paco.Action.promote("King")
    with pytest.raises(TypeError, match="an action must be"):
        paco.State().play("e2")
    with pytest.raises(ValueError, match="0 to 7, not 8"):
        paco.indices([paco.State()], 8)
    with pytest.raises(ValueError, match="32 pieces, the position has 2"):
        paco.tensors(["4k3/8/8/8/8/8/8/4K3 w 0 - - -"])
    with pytest.raises(TypeError, match="sequence"):
        paco.tensors(paco.State())
    with pytest.raises(TypeError, match="State or FEN"):
        paco.tensors([3])
    with pytest.raises(ValueError, match="40 indices|39 indices"):
        paco.expand(np.zeros((2, 7)), 0)
    with pytest.raises(ValueError, match="outside"):
        paco.expand(np.full((1, 39), 5000), 0)
    with pytest.raises(ValueError, match="depth"):
        paco.Player().choose(paco.State(), depth=0)
    with pytest.raises(ValueError, match="seconds"):
        paco.Player().choose(paco.State(), time=float("nan"))
    with pytest.raises(ValueError, match="cannot place"):
        paco.State().parse_turn("Ng1>e5")


def test_threads_work_at_once(states):
    some, results = [state for case, state in states if case.get("idx_opts1")], []
    threads = [threading.Thread(target=lambda: results.append(paco.tensors(some, 7))) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(results) == 8 and all(np.array_equal(results[0], other) for other in results)
