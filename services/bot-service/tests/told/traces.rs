//! One trace from a client's call through the game-service and its store to a bot's turn.

use std::collections::BTreeMap;

use opentelemetry_proto::tonic::trace::v1::span::SpanKind;

use super::client::{ACTIONS, NAME, TABLES};
use super::collector::{Collector, Span};
use super::processes::House;

const SUBMIT: &str = "handfoot.v1.PlayService/SubmitActions";

fn is(span: &Span, service: &str, name: &str, kind: SpanKind) -> bool {
    span.service == service && span.name == name && span.kind == kind as i32
}

/// The children of a span that are like this.
fn children(spans: &[Span], parent: &Span, service: &str, name: &str, kind: SpanKind) -> Vec<Span> {
    let is_child = |span: &&Span| span.parent == parent.id && span.trace == parent.trace;
    let children = spans.iter().filter(is_child).filter(|span| is(span, service, name, kind));
    children.cloned().collect()
}

/// From a client's call to the commit that it makes: client, server, store.
fn committed(spans: &[Span], client: &Span) -> Option<Span> {
    let mut servers = children(spans, client, "game-service", SUBMIT, SpanKind::Server);
    let server = servers.pop()?;
    let commits = children(spans, &server, "game-service", "store commit", SpanKind::Client);
    let commit = commits.first()?;
    assert!(commit.attribute("handfoot.table_id").is_some_and(|id| !id.is_empty()));
    assert_eq!(server.attribute("rpc.system.name"), Some("grpc"));
    // One that came too late was looked up in the store, and made nothing.
    Some(server).filter(|server| server.attribute("rpc.response.status_code") == Some("OK"))
}

/// A person's call, the call that answers it, the bot's turn that it made due, and the call that
/// answers the bot's.
type Chain = (Span, Span, Span, Span);

fn chain(spans: &[Span]) -> Option<Chain> {
    let mut people = spans.iter().filter(|span| is(span, NAME, SUBMIT, SpanKind::Client));
    people.find_map(|person| {
        let server = committed(spans, person)?;
        let turn = children(spans, &server, "bot-service", "bot turn", SpanKind::Consumer).pop()?;
        children(spans, &turn, "bot-service", "bot decision", SpanKind::Internal).pop()?;
        let calls = children(spans, &turn, "bot-service", SUBMIT, SpanKind::Client);
        let answered = calls.iter().find_map(|call| committed(spans, call))?;
        Some((person.clone(), server, turn, answered))
    })
}

/// A turn that a bot's commit made due: of a trace of its own, linked to that commit.
fn linked(spans: &[Span], (person, ..): &Chain) -> Option<Span> {
    let mut turns =
        spans.iter().filter(|span| is(span, "bot-service", "bot turn", SpanKind::Consumer));
    let turn = turns.find(|turn| {
        let is_of_it = turn.links.iter().any(|(trace, _)| *trace == person.trace);
        is_of_it && turn.parent.is_empty() && turn.trace != person.trace
    });
    turn.cloned()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_trace_goes_from_a_call_through_the_store_to_the_turn_of_a_bot() {
    let collector = Collector::start().await;
    let house = House::telling(&collector.url, "info");
    let plan = BTreeMap::from([(TABLES, "1".to_owned()), (ACTIONS, "12".to_owned())]);
    let mut client = house.client(&collector.url, &plan);
    let waiting = collector.clone();
    let (chain, linked) = tokio::task::spawn_blocking(move || {
        client.ended();
        let found = waiting.wait_for(|spans| {
            let chain = chain(spans)?;
            linked(spans, &chain).map(|linked| (chain, linked))
        });
        house.game.end();
        house.bots.end();
        found
    })
    .await
    .unwrap();
    let (person, server, turn, answered) = chain;
    for span in [&server, &turn, &answered] {
        assert_eq!(span.trace, person.trace, "{span:?}");
    }
    assert!(person.parent.is_empty(), "nobody called the client");
    assert_eq!(linked.attribute("handfoot.level"), Some("casual"));
    for span in collector.spans() {
        assert_eq!(span.n_events, 0, "what is logged stays in the logs: {span:?}");
        let is_endless = span.name == "store healthy" || span.name == "store list";
        assert!(!is_endless || !span.parent.is_empty(), "nobody asked for it: {span:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_program_still_has_is_sent_when_it_ends() {
    let collector = Collector::start().await;
    let house = House::telling(&collector.url, "info");
    let plan = BTreeMap::from([(TABLES, "1".to_owned()), (ACTIONS, "1".to_owned())]);
    let mut client = house.client(&collector.url, &plan);
    let ended = collector.clone();
    let logs = tokio::task::spawn_blocking(move || {
        client.ended();
        // Spans are sent every five seconds: nothing but the end of a program sends them now.
        let bots = house.bots.end();
        let game = house.game.end();
        ended.wait_for(|spans| {
            let has = |service| spans.iter().any(|span| span.service == service);
            (has("game-service") && has("bot-service") && has(NAME)).then_some(())
        });
        (game, bots)
    })
    .await
    .unwrap();
    for log in [logs.0, logs.1] {
        assert!(!log.contains("were not sent"), "{log}");
    }
}
