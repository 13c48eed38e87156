//! Every finding is made of evidence that is damaged on purpose, and none of evidence that is
//! whole.

use std::time::Instant;

use super::*;
use crate::evidence::Logged;
use crate::ledger::{Failure, Notes};

const SPECTATOR: Viewer = Viewer { seat: 0, number: 0 };
const PERSON: Viewer = Viewer { seat: 1, number: 0 };

fn stamp(version: u64) -> Stamp {
    Stamp { version, chain: vec![u8::try_from(version).unwrap(); 16] }
}

fn other(version: u64) -> Stamp {
    Stamp { version, chain: vec![99; 16] }
}

fn snapshot(cause: SnapshotCause, version: u64) -> Item {
    Item::Snapshot { cause, stamp: stamp(version) }
}

/// A finished table of three commits: a start, a draw by the person at seat 1, a discard by it.
fn table() -> TableEvidence {
    let logged = |version: u64, request_id: Option<&str>| Logged {
        stamp: stamp(version),
        seat: u32::from(request_id.is_some()),
        request_id: request_id.map(str::to_owned),
    };
    let answer = |request_id: &str, version| Answer {
        seat: 1,
        request_id: request_id.to_owned(),
        stamp: stamp(version),
    };
    let mut notes = Notes { is_closed: true, ..Notes::default() };
    notes.answers = vec![answer("a-a", 2), answer("b-b", 3)];
    let items =
        vec![snapshot(SnapshotCause::Start, 1), Item::Commit(stamp(2)), Item::Commit(stamp(3))];
    notes.streams = BTreeMap::from([(SPECTATOR, items.clone()), (PERSON, items)]);
    let shown = |version, turns: &[Turn]| Shown { stamp: stamp(version), turns: turns.to_vec() };
    TableEvidence {
        id: "t".to_owned(),
        state: TableState::Finished,
        version: 3,
        log: vec![logged(1, None), logged(2, Some("aa")), logged(3, Some("bb"))],
        shown: vec![shown(1, &[Turn::Began]), shown(2, &[Turn::Drew]), shown(3, &[Turn::Began])],
        unreadable: None,
        notes,
        people: vec![1],
        views: BTreeMap::new(),
    }
}

/// What is found of a table that was changed; that nobody here has a view of it does not count.
fn found(expect: &Expect, change: impl FnOnce(&mut TableEvidence)) -> Vec<Finding> {
    let mut table = table();
    change(&mut table);
    let evidence = Evidence { tables: vec![table], log_faults: Vec::new() };
    let mut findings = judge(&evidence, expect);
    findings.retain(|finding| !matches!(finding, Finding::EndUnseen { .. }));
    findings
}

fn found_usually(change: impl FnOnce(&mut TableEvidence)) -> Vec<Finding> {
    found(&Expect::default(), change)
}

fn told() -> Expect {
    Expect { loss: Loss::Told, ..Expect::default() }
}

macro_rules! expect {
    ($found:expr, $($pattern:pat),+) => {{
        let found = $found;
        $(assert!(found.iter().any(|f| matches!(f, $pattern)), "{found:?}");)+
    }};
}

#[test]
fn whole_evidence_gives_no_finding() {
    assert_eq!(found_usually(|_| {}), []);
}

#[test]
fn a_commit_that_is_gone_is_found() {
    expect!(
        found_usually(|table| {
            table.log.pop();
            table.shown.pop();
            table.version = 2;
        }),
        Finding::Missing { version: 3, .. }
    );
}

#[test]
fn a_commit_that_is_another_is_found() {
    expect!(
        found_usually(|table| {
            table.log[2].stamp = other(3);
            table.shown[2].stamp = other(3);
        }),
        Finding::OtherChain { version: 3, .. },
        Finding::StreamedOther { version: 3, .. }
    );
}

#[test]
fn a_gap_in_the_log_is_found() {
    expect!(
        found_usually(|table| {
            table.log.remove(1);
        }),
        Finding::LogGap { before: 1, after: 3, .. },
        Finding::OtherLog { at: 1, .. },
        Finding::Missing { version: 2, .. }
    );
}

#[test]
fn a_request_that_was_played_twice_is_found() {
    expect!(
        found_usually(|table| table.log[2].request_id = Some("aa".to_owned())),
        Finding::DoublePlay { n: 2, .. },
        Finding::OtherRequest { version: 3, .. }
    );
    expect!(
        found_usually(|table| {
            table.notes.answers.pop();
        }),
        Finding::OtherCount { seat: 1, there: 2, answered: 1, .. }
    );
}

#[test]
fn a_second_draw_is_found() {
    expect!(
        found_usually(|table| table.shown[2].turns = vec![Turn::Drew, Turn::Began]),
        Finding::SecondDraw { version: 3, .. }
    );
}

#[test]
fn a_gap_in_a_stream_is_found() {
    let stream = |table: &mut TableEvidence| table.notes.streams.get_mut(&PERSON).unwrap().clone();
    expect!(
        found_usually(|table| {
            let mut items = stream(table);
            items.remove(1);
            table.notes.streams.insert(PERSON, items);
        }),
        Finding::Gap { viewer: PERSON, before: 1, after: 3, .. }
    );
    expect!(
        found_usually(|table| {
            let mut items = stream(table);
            items.insert(2, Item::Commit(stamp(2)));
            table.notes.streams.insert(PERSON, items);
        }),
        Finding::Gap { viewer: PERSON, before: 2, after: 2, .. }
    );
    for cause in [SnapshotCause::HistoryDiverged, SnapshotCause::FellBehind, SnapshotCause::Start] {
        expect!(
            found_usually(|table| {
                let mut items = stream(table);
                items[2] = snapshot(cause, 3);
                table.notes.streams.insert(PERSON, items);
            }),
            Finding::Snapshot { viewer: PERSON, .. }
        );
    }
}

#[test]
fn a_loss_that_was_told_is_none_and_silence_is() {
    // Both had seen another version 3, and one answer was for it.
    let lose = |table: &mut TableEvidence| {
        for items in table.notes.streams.values_mut() {
            items[2] = Item::Commit(other(3));
            items.push(snapshot(SnapshotCause::HistoryDiverged, 2));
            items.push(Item::Commit(stamp(3)));
        }
        table.notes.answers.push(Answer { seat: 1, request_id: "c-c".to_owned(), stamp: other(3) });
    };
    assert_eq!(found(&told(), lose), []);
    // The snapshot may come when others have gone on already.
    let late = |table: &mut TableEvidence| {
        lose(table);
        for items in table.notes.streams.values_mut() {
            items.truncate(3);
            items.push(snapshot(SnapshotCause::HistoryDiverged, 3));
        }
    };
    assert_eq!(found(&told(), late), []);
    expect!(
        found(&told(), |table| {
            lose(table);
            table.notes.streams.get_mut(&PERSON).unwrap().remove(3);
        }),
        Finding::Untold { viewer: PERSON, version: 3, .. }
    );
    expect!(found(&told(), |_| {}), Finding::NothingLost);
    expect!(found_usually(lose), Finding::OtherChain { version: 3, .. });
}

#[test]
fn a_game_that_did_not_end_is_found() {
    expect!(
        found_usually(|table| table.state = TableState::Playing),
        Finding::Unfinished { version: 3, .. }
    );
    expect!(
        found_usually(|table| {
            table.notes.broken.insert(PERSON, "STATE_CORRUPT".to_owned());
        }),
        Finding::Broken { viewer: PERSON, .. }
    );
    let evidence = Evidence { tables: vec![table()], log_faults: Vec::new() };
    let unseen = judge(&evidence, &Expect::default());
    expect!(unseen, Finding::EndUnseen { viewer: PERSON, .. });
}

#[test]
fn calls_that_fail_are_found_where_none_may() {
    let fail = |table: &mut TableEvidence| {
        let (began, ended) = (Instant::now(), Instant::now());
        table.notes.failures.push(Failure { began, ended, what: "NOT_REACHED".to_owned() });
    };
    assert_eq!(found_usually(fail), []);
    let strict = Expect { calls: Calls::NeverFail, ..Expect::default() };
    expect!(found(&strict, fail), Finding::FailedCall { n: 1, .. });
    expect!(
        found_usually(|table| table.notes.refused.push("seat 1: NOT_YOUR_TURN".to_owned())),
        Finding::Refused { .. }
    );
}

#[test]
fn a_table_that_cannot_be_read_is_found() {
    let refuse = |table: &mut TableEvidence| table.unreadable = Some("STATE_CORRUPT".to_owned());
    expect!(found_usually(refuse), Finding::Unreadable { .. });
}

#[test]
fn what_logs_should_not_hold_is_found() {
    let logs = [LogFault::Panic, LogFault::Secret].map(|fault| ("log".to_owned(), fault));
    let evidence = Evidence { tables: Vec::new(), log_faults: logs.to_vec() };
    let found = judge(&evidence, &Expect::default());
    expect!(found, Finding::Panic { .. }, Finding::Secret { .. });
}
