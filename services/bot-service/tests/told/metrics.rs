//! The metrics of both programs are those of `deploy/METRICS.md`, which is written from what the
//! code says of them.

use std::collections::BTreeMap;
use std::path::Path;

use handfoot_bot_service as bots;
use handfoot_game_service as game;
use handfoot_protocol::DESCRIPTORS;
use handfoot_telemetry::{Definition, STANDARD, reference};
use prost::Message;
use prost_types::FileDescriptorSet;

use super::client::{ACTIONS, TABLES};
use super::collector::Collector;
use super::exposition::{differences, families};
use super::processes::{House, Program, get};

/// The most numbers that one program may show, whatever is done with it.
const SAMPLES_MAX: usize = 5_000;

fn document() -> String {
    let with = |own: &[&'static Definition]| reference(own);
    format!(
        "{}\n## Both programs\n\n{}## game-service\n\n{}## bot-service\n\n{}",
        include_str!("metrics_head.md"),
        with(STANDARD),
        with(game::metrics::DEFINITIONS),
        with(bots::DEFINITIONS).trim_end().to_owned() + "\n",
    )
}

#[test]
fn the_document_is_that_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/METRICS.md");
    let written = document();
    if std::env::var_os("HANDFOOT_REWRITE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &written).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let advice = "HANDFOOT_REWRITE=1 cargo test -p handfoot-bot-service --test main metrics";
    assert!(kept == written, "deploy/METRICS.md is not what the code says; run {advice}");
}

#[test]
fn no_metric_is_said_twice_and_each_has_its_unit() {
    let all = [STANDARD, game::metrics::DEFINITIONS, bots::DEFINITIONS].concat();
    let mut names: Vec<&str> = all.iter().map(|definition| definition.name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    for definition in all {
        let Definition { name, kind, help, .. } = definition;
        assert_eq!(kind.as_str() == "counter", name.ends_with("_total"), "{name}");
        assert!(kind.as_str() != "histogram" || name.ends_with("_seconds"), "{name}");
        assert!(help.ends_with('.') && !help.contains('\n'), "{name}: {help}");
        let lead = ["handfoot_", "rpc_", "process_"].iter().any(|lead| name.starts_with(lead));
        assert!(lead, "{name}");
    }
}

/// Full names of all methods that there are.
fn methods() -> Vec<String> {
    let files = FileDescriptorSet::decode(DESCRIPTORS).unwrap().file;
    let names = files.iter().flat_map(|file| {
        file.service.iter().flat_map(move |service| {
            let name = format!("{}.{}", file.package(), service.name());
            service.method.iter().map(move |method| format!("{name}/{}", method.name()))
        })
    });
    names.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_shown_is_what_is_said() {
    let collector = Collector::start().await;
    let shown = tokio::task::spawn_blocking(move || {
        let house = House::telling(&collector.url, "info");
        let plan = BTreeMap::from([(TABLES, "2".to_owned()), (ACTIONS, "20".to_owned())]);
        house.client(&collector.url, &plan).ended();
        let addresses = [&house.game, &house.bots].map(Program::metrics_address);
        for address in &addresses {
            assert_eq!(get(address, "/livez").0, "HTTP/1.1 200 OK");
            assert_eq!(get(address, "/readyz").0, "HTTP/1.1 200 OK");
            assert_eq!(get(address, "/").0, "HTTP/1.1 404 Not Found");
        }
        addresses.map(|address| get(&address, "/metrics").1)
    })
    .await
    .unwrap();
    let methods = methods();
    let said = [game::metrics::DEFINITIONS, bots::DEFINITIONS];
    for (text, said) in shown.iter().zip(said) {
        let said = [STANDARD, said].concat();
        assert_eq!(differences(text, &said), Vec::<String>::new());
        for (name, family) in families(text) {
            assert!(family.n_samples < SAMPLES_MAX, "{name}");
            for method in family.labels.get("rpc_method").into_iter().flatten() {
                assert!(methods.contains(method), "{name}: {method}");
            }
        }
    }
    let [game, bots] = shown;
    let has = |text: &str, start: &str| {
        let line = text.lines().find(|line| line.starts_with(start));
        let number = line.and_then(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok());
        assert!(number.is_some_and(|number| number > 0.0), "{start} in {text}");
    };
    has(&game, "handfoot_commits_total{outcome=\"committed\"}");
    has(&game, "handfoot_bot_turn_lag_seconds_count");
    has(&game, "handfoot_delivery_lag_seconds_count");
    has(&game, "handfoot_ready 1");
    has(
        &game,
        "handfoot_store_operation_duration_seconds_count{operation=\"commit\",result=\"ok\"}",
    );
    let submit = "rpc_server_call_duration_seconds_count{error_type=\"\",\
                  rpc_method=\"handfoot.v1.PlayService/SubmitActions\",\
                  rpc_response_status_code=\"OK\",rpc_system_name=\"grpc\"}";
    has(&game, submit);
    has(&bots, "handfoot_bot_decisions_total{outcome=\"played\"}");
    has(&bots, "handfoot_bot_decision_duration_seconds_count{level=\"casual\"}");
    has(&bots, "handfoot_bot_tasks_taken_total");
    has(&bots, "handfoot_bot_tasks_max 64");
}
