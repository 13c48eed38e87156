//! Many tables of bots at once.
//!
//! **Invariant:** every game is played to its end by bots through the API.

use handfoot_client::PlayClient;
use handfoot_view::Phase;
use tokio::task::JoinSet;

use crate::served::{Served, Sitter, open, runtime, token};

/// How many tables there are, unless `HANDFOOT_TEST_TABLES` says otherwise.
const TABLES: usize = 8;

async fn to_the_end(client: PlayClient) {
    let mut watch = client.watch();
    loop {
        if let Some(known) = watch.known()
            && let Phase::GameOver { .. } = known.view.table.phase
        {
            return;
        }
        watch.next().await.unwrap();
    }
}

/// Fault list: R38, R48.
#[test]
fn tables_of_bots_play_to_the_end_beside_each_other_without_a_refused_action() {
    let asked = std::env::var("HANDFOOT_TEST_TABLES").ok();
    let tables = asked.map_or(TABLES, |text| text.parse().unwrap());
    let served = Served::start("--bots --listen 127.0.0.1:0");
    runtime().block_on(async {
        let platform = served.platform();
        let connection = served.connection();
        let mut games = JoinSet::new();
        for number in 0..tables {
            let seats = 2 + number % 5;
            let bots: Vec<Sitter> = (0..seats)
                .map(|seat| Sitter::Bot(["casual", "random"][(number + seat) % 2]))
                .collect();
            let id = open(&platform, &bots).await;
            let client = PlayClient::new(connection.clone(), token(&platform, &id, 0).await);
            games.spawn(to_the_end(client));
        }
        while let Some(game) = games.join_next().await {
            game.unwrap();
        }
    });
    let ended = served.terminate();
    assert!(ended["decisions"].as_u64().unwrap() > 100, "{ended}");
    for none in ["refused", "failed", "fallbacks"] {
        assert_eq!(ended[none], 0, "{ended}");
    }
}
