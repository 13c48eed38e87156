//! One variable, and the table of all that a program has.
//!
//! **Invariant:** plain data; nothing is read here.

/// Whether a value may be shown, and how it may be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// It is.
    Open,
    /// It never is. It can come from a file: `--FLAG-file`, `VARIABLE_FILE`.
    Secret,
    /// It never is, and no flag takes it either, because others on the machine can see command
    /// lines. It can come from a file.
    Private,
}

/// One variable.
#[derive(Debug)]
pub struct Variable {
    /// Its flag, without the dashes.
    pub flag: &'static str,
    /// Its environment variable.
    pub name: &'static str,
    /// The flag that names a file with the value, if it is secret.
    pub file_flag: &'static str,
    /// The environment variable that names a file with the value, if it is secret.
    pub file_name: &'static str,
    /// What stands for the value in help.
    pub value: &'static str,
    /// What it is.
    pub help: &'static str,
    /// What it is if it is not given.
    pub default: Option<&'static str>,
    /// A value that is right.
    pub example: &'static str,
    /// Whether it may be shown.
    pub shown: Shown,
}

impl Variable {
    /// Whether it has a flag that takes the value itself.
    #[must_use]
    pub const fn has_flag(&self) -> bool {
        match self.shown {
            Shown::Open | Shown::Secret => true,
            Shown::Private => false,
        }
    }

    /// Whether it can come from a file.
    #[must_use]
    pub const fn has_file(&self) -> bool {
        match self.shown {
            Shown::Open => false,
            Shown::Secret | Shown::Private => true,
        }
    }

    /// The flag to name in a message, with its dashes.
    pub(crate) fn shown_flag(&self) -> String {
        match self.has_flag() {
            true => format!("--{}", self.flag),
            false => format!("--{}", self.file_flag),
        }
    }
}

/// The variables of a program, each a constant, and `ALL` of them in the order of help.
///
/// A row is: name of the constant, flag, environment variable, what stands for the value in help,
/// [`Shown`], default, example, help.
#[macro_export]
macro_rules! variables {
    ($($id:ident $flag:literal $name:literal $value:literal $shown:ident
        $default:expr, $example:literal, $help:literal;)+) => {
        $(pub(crate) const $id: $crate::Variable = $crate::Variable {
            flag: $flag,
            name: $name,
            file_flag: concat!($flag, "-file"),
            file_name: concat!($name, "_FILE"),
            value: $value,
            help: $help,
            default: $default,
            example: $example,
            shown: $crate::Shown::$shown,
        };)+

        /// All of them, in the order of help.
        pub const ALL: &[&$crate::Variable] = &[$(&$id),+];
    };
}
