//! How the Redis that is measured keeps its file: as the one that is shipped does.
//!
//! **Invariant:** nothing is set here. What rewriting the file costs is part of what a commit costs.

/// The settings of the shipped Redis.
const SETTINGS: &str = include_str!("../../../deploy/base/redis/redis.conf");

/// What its settings of the append-only file begin with.
const OF_THE_FILE: [&str; 2] = ["append", "auto-aof-"];

/// The settings of the append-only file, as arguments of the program.
pub(crate) fn file_settings() -> Vec<String> {
    file_settings_of(SETTINGS)
}

fn file_settings_of(settings: &str) -> Vec<String> {
    let lines = settings.lines().filter(|line| OF_THE_FILE.iter().any(|of| line.starts_with(of)));
    let pairs = lines.filter_map(|line| line.split_once(' '));
    pairs.flat_map(|(name, value)| [format!("--{name}"), value.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_THE_CLUSTER: &str =
        include_str!("../../../deploy/components/redis-cluster/redis.conf");

    #[test]
    fn a_cluster_keeps_its_files_in_the_same_way() {
        assert_eq!(file_settings_of(OF_THE_CLUSTER), file_settings());
    }

    #[test]
    fn it_keeps_its_file_as_the_shipped_one_does() {
        let settings = file_settings();
        let names: Vec<&str> = settings.iter().step_by(2).map(String::as_str).collect();
        let all = [
            "--appendonly",
            "--appendfsync",
            "--auto-aof-rewrite-percentage",
            "--auto-aof-rewrite-min-size",
        ];
        assert_eq!(names, all);
    }
}
