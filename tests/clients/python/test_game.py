"""Whole games through the API, with streams that are cut in the middle.

Invariant: every game is fixed by its seeds; what is compared was sent by the server under test.
"""

from __future__ import annotations

import unittest

from handfoot.v1 import play_service_pb2, table_pb2, view_pb2

from game import CUT_SEAT, SPECTATOR, Game, played
from server import BOT_LEVEL, new_table, table_of_persons
from sight import public_commit, public_view, without_time
from watch import Watch


class GameTest(unittest.TestCase):
    """What holds of every game."""

    def check(self, game: Game) -> None:
        self.assertEqual(game.table.get().state, table_pb2.TABLE_STATE_FINISHED)
        self.assertEqual(sum(player.n_aborted for player in game.players.values()), 0)
        self.check_streams(game)
        self.check_answers(game)
        self.check_sight(game)
        self.check_scores(game)
        self.check_resumes(game)

    def check_streams(self, game: Game) -> None:
        """No gap and no repetition, whatever was cut; and the log says the same."""
        last = game.table.get().version
        for seat, viewer in game.viewers.items():
            with self.subTest(seat=seat):
                watch = viewer.watch
                first = watch.snapshots[0].view.stamp.version
                versions = [commit.stamp.version for commit in watch.commits]
                self.assertEqual(versions, list(range(first + 1, last + 1)))
                self.assertEqual((watch.n_gaps, watch.n_ignored), (0, 0))
                self.assertEqual(len(watch.snapshots), 1)
                self.assertEqual(watch.n_opened, 3 if seat == CUT_SEAT else 1)
                self.assertEqual(viewer.logged(first), watch.commits)
                times = [commit.commit_time.ToNanoseconds() for commit in watch.commits]
                self.assertEqual(times, sorted(times))

    def check_answers(self, game: Game) -> None:
        """An answer, also a repeated one, holds the commit that the stream brings."""
        for seat, player in game.players.items():
            by_version = {c.stamp.version: c for c in game.viewers[seat].watch.commits}
            for commit in player.commits:
                self.assertEqual(commit, by_version[commit.stamp.version])
                self.assertEqual(commit.seat, seat)
        last = list(game.players.values())[-1]
        self.assertGreater(game.loser.n_lost, 0)
        self.assertEqual(last.n_replayed, game.loser.n_lost)

    def check_sight(self, game: Game) -> None:
        """A seat is sent what a spectator is sent, and its own cards; nothing more."""
        seen = game.viewers[SPECTATOR]
        for seat, viewer in game.viewers.items():
            with self.subTest(seat=seat):
                public_by_version = {c.stamp.version: c for c in seen.watch.commits}
                common = [c for c in viewer.watch.commits if c.stamp.version in public_by_version]
                # Bots may have played before the later of the two streams began.
                self.assertGreater(len(common), len(public_by_version) * 0.8)
                for own in common:
                    public = public_by_version[own.stamp.version]
                    self.assertEqual(public_commit(own, seat), public)
        now = {seat: viewer.view() for seat, viewer in game.viewers.items()}
        for views in (*game.middle.views, now):
            for seat, own in views.items():
                self.assertEqual(own.seat, seat)
                self.assertEqual(public_view(own), public_view(views[SPECTATOR]))
                held = own.seats[seat - 1].held if seat else 0
                self.assertEqual(len(own.own_cards), held)
        self.assertGreater(len(game.middle.views), 1)

    def check_scores(self, game: Game) -> None:
        """Totals are the sums of sheets, and sheets the sums of their lines."""
        view = game.viewers[SPECTATOR].view()
        table = game.table.get()
        self.assertEqual(view.phase.WhichOneof("phase"), "game_over")
        self.assertEqual(len(view.history), table.rounds_scored)
        totals = [0] * len(view.teams)
        for result in view.history:
            for score in result.scores:
                self.assertEqual(score.total, sum(line.points for line in score.lines))
                totals[score.team - 1] += score.total
        self.assertEqual([team.total for team in view.teams], totals)
        self.assertEqual(list(table.totals), totals)

    def check_resumes(self, game: Game) -> None:
        """A resume never fails: with a chain of another history comes the whole view."""
        viewer = list(game.viewers.values())[-1]
        stamp = viewer.watch.snapshots[0].view.stamp
        again = Watch(viewer.connection)
        again.stamp = view_pb2.Stamp(version=stamp.version, chain=bytes(16))
        again.to_the_end()
        self.assertEqual([c.stamp.version for c in again.commits], [])
        self.assertEqual(len(again.snapshots), 1)
        snapshot = again.snapshots[0]
        self.assertEqual(snapshot.cause, play_service_pb2.SNAPSHOT_CAUSE_HISTORY_DIVERGED)
        self.assertEqual(without_time(snapshot.view), without_time(viewer.view()))
        anew = Watch(viewer.connection)
        anew.stamp = stamp
        anew.to_the_end()
        self.assertEqual(anew.commits, viewer.watch.commits)
        self.assertEqual(anew.snapshots, [])


class Persons(GameTest):
    def test_four_clients_play_a_whole_game(self) -> None:
        game = played(table_of_persons(seed=7), [1, 2, 3, 4], seed=7)
        self.check(game)

    def test_the_same_seeds_give_the_same_game(self) -> None:
        views = []
        for _ in range(2):
            game = played(table_of_persons(seed=8), [1, 2, 3, 4], seed=8)
            view = without_time(game.viewers[SPECTATOR].view())
            # These are bound to the table's id.
            view.ClearField("table_id")
            view.ClearField("commitment")
            view.stamp.ClearField("chain")
            views.append(view)
        self.assertEqual(views[0], views[1])


@unittest.skipUnless(BOT_LEVEL, "no bots were started")
class Bots(GameTest):
    def test_one_client_plays_a_whole_game_of_several_rounds_against_bots(self) -> None:
        table = new_table(seed=9, rounds=4)
        table.seat_person(1)
        for seat in table.seats[1:]:
            table.seat_bot(seat, BOT_LEVEL)
        table.start()
        self.check(played(table, [1], seed=9))


if __name__ == "__main__":
    unittest.main()
