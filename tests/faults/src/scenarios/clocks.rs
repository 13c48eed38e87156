//! The clocks of the replicas differ by two hours.
//!
//! **Invariant:** each process is told its own time by a library that is loaded into it alone; the
//! machine's clock is nobody's to change.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use handfoot_client::{PlatformClient, PlatformCredential};
use handfoot_protocol::v1;

use crate::house::{House, Order, REPLICAS};
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::{Calls, Expect};

/// What each replica takes the time to be, in seconds from the machine's.
const OFFSETS: [i64; REPLICAS] = [0, 3_600, -3_600];

/// By how much a clock that was set may seem to be off: a call takes some time.
const TOLERANCE: Duration = Duration::from_secs(60);

/// Where Debian and its like keep the library.
const FOLDERS: [&str; 2] = ["/usr/lib", "/usr/lib64"];

const LIBRARY: &str = "faketime/libfaketimeMT.so.1";

/// Fault list: R69.
pub(crate) async fn clocks_that_differ_change_nothing(setting: &Setting) -> Result<Tried, Trouble> {
    let library = library().ok_or(Trouble::Missing {
        what: "libfaketime",
        advice: "install the package libfaketime",
    })?;
    let environment = OFFSETS.map(|offset| {
        let variable = |name: &str, value: String| (name.to_owned(), value);
        vec![
            variable("LD_PRELOAD", library.display().to_string()),
            variable("FAKETIME", format!("{offset:+}s")),
            // Lengths of time stay as they are.
            variable("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ]
    });
    let order = Order { environment, ..Order::alone() };
    let mut scene = Scene::open(setting, order, Play::FAST).await?;
    for (replica, offset) in OFFSETS.into_iter().enumerate() {
        let seen = clock_of(&scene.house, replica, scene.crowd.id(0)).await?;
        let is_set = seen.abs_diff(offset) < TOLERANCE.as_secs();
        scene.must("a clock was not set, so that this shows nothing", is_set);
    }
    scene.end(&Expect { calls: Calls::NeverFail, ..Expect::default() }).await
}

/// What a replica takes the time to be, in seconds from the machine's: a token says until when it
/// holds.
async fn clock_of(house: &House, replica: usize, table_id: &str) -> Result<i64, Trouble> {
    let credential = PlatformCredential::new(&house.credentials.platform);
    let credential = credential.map_err(|error| Trouble::Own(error.to_string()))?;
    let platform = PlatformClient::new(house.connection_to(replica)?, credential);
    let lifetime_s = 3_600;
    let table_id = table_id.to_owned();
    let request = v1::IssueSeatTokenRequest { table_id, lifetime_s, ..Default::default() };
    let issued = platform.issue(request).await.map_err(Trouble::call("issuing a token"))?;
    let seconds = |time: SystemTime| {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    };
    let expires = issued.expires.unwrap_or(SystemTime::UNIX_EPOCH);
    Ok(seconds(expires) - i64::from(lifetime_s) - seconds(SystemTime::now()))
}

fn library() -> Option<PathBuf> {
    let beside = FOLDERS.iter().flat_map(|folder| {
        let folders = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        folders.map(|folder| folder.path()).chain([PathBuf::from(folder)])
    });
    beside.map(|folder| folder.join(LIBRARY)).find(|path| path.is_file())
}
