// swift-tools-version: 6.3
import PackageDescription

/// A C library of the system, found by pkg-config; `apt` and `brew` name the packages that hold it.
func system(_ name: String, pkgConfig: String?, apt: String, brew: String) -> Target {
    .systemLibrary(
        name: name,
        path: "Sources/SystemLibraries/\(name)",
        pkgConfig: pkgConfig,
        providers: [.apt([apt]), .brew([brew])]
    )
}

/// A program for the project's own use, or an example, in a folder of its own.
func program(
    _ name: String,
    in path: String,
    _ dependencies: [Target.Dependency],
    exclude: [String] = []
) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies,
        path: path,
        exclude: exclude,
        swiftSettings: strict
    )
}

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    // A library of the system may deprecate a function in any update.
    .treatWarning("DeprecatedDeclaration", as: .warning),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
/// For the modules that hold no unsafe code.
let safe = strict + [.strictMemorySafety()]

/// For tests: their own code runs once, and compiles in half the time if it is not optimized. (SwiftPM lets no package depend on
/// a product with such flags; tests are in none.)
let tested = strict + [.unsafeFlags(["-Onone"])]

/// The codecs that a build can leave out: `swift build --disable-default-traits --traits GIF,TIFF`.
let codecs = [
    ("GIF", ["CGIF"]), ("TIFF", ["CTIFF"]), ("AVIF", ["CAVIF"]), ("JXL", ["CJXL"]),
    ("HEIC", ["CHEIF", "CDe265"]), ("Palette", ["CImageQuant"]),
]
let optionalCodecs = codecs.flatMap { trait, libraries in
    libraries.map { Target.Dependency.target(name: $0, condition: .when(traits: [trait])) }
}
let codecMacros =
    codecs.map { trait, _ in CSetting.define("NB_\(trait.uppercased())", .when(traits: [trait])) }
    + [.define("NB_PLUG_INS", .when(traits: ["PlugIns"]))]

/// The dependencies that the tests of the modules about jobs share.
let jobTests: [Target.Dependency] = [
    "JobManifest", "JobPlanning", "JobStorage", "JobFixtures", "Originals", "Imaging", "Files", "SQLite",
    "TestSupport",
]

let package = Package(
    name: "nuke-batch",
    products: [
        .library(name: "Nuke", targets: ["Nuke"]),
        .library(name: "NukeBatch", targets: ["NukeBatch", "JobReports", "JobPlanning", "JobManifest"]),
        .library(name: "Imaging", targets: ["Imaging"]),
        .library(name: "DataLoadingConformance", targets: ["DataLoadingConformance"]),
        .executable(name: "nuke-batch", targets: ["nuke-batch"]),
    ],
    traits: [
        .trait(name: "GIF", description: "Reads GIF (giflib)."),
        .trait(name: "TIFF", description: "Reads TIFF (libtiff)."),
        .trait(name: "AVIF", description: "Reads and writes AVIF (libavif)."),
        .trait(name: "JXL", description: "Reads and writes JPEG XL (libjxl)."),
        .trait(name: "HEIC", description: "Reads HEIC (libheif, libde265)."),
        .trait(name: "Palette", description: "Writes PNG with a palette (libimagequant)."),
        // Instead of those above, for programs that are installed: see docs/adr/0013-plug-ins.md.
        .trait(
            name: "PlugIns",
            description:
                "Loads these codecs, and libcurl, when they are needed (Integrations/standalone/build)."
        ),
        .default(enabledTraits: ["GIF", "TIFF", "AVIF", "JXL", "HEIC", "Palette"]),
    ],
    targets: [
        // The command line, and the runner under it.
        .executableTarget(
            name: "nuke-batch",
            dependencies: [
                "Fleet", "NukeBatch", "JobReports", "JobPlanning", "JobManifest", "Imaging", "Files",
            ],
            swiftSettings: safe
        ),
        // One job on many machines: plan, work, collect.
        .target(
            name: "Fleet",
            dependencies: [
                "NukeBatch", "JobReports", "JobPlanning", "JobManifest", "JobStorage", "ObjectStorage",
                "Imaging", "Files",
            ],
            swiftSettings: safe
        ),
        // The life of an item.
        .target(
            name: "NukeBatch",
            dependencies: [
                "Datasets", "JobPlanning", "JobManifest", "JobStorage", "Originals", "Imaging",
                "ObjectStorage",
                "Transport", "SQLite", "Files",
            ],
            swiftSettings: safe
        ),
        // What a run writes of many items: shards, indexes, markup.
        .target(
            name: "Datasets",
            dependencies: [
                "JobPlanning", "JobManifest", "JobStorage", "Originals", "ObjectStorage", "Files",
            ],
            swiftSettings: safe
        ),
        // What people read about a job.
        .target(
            name: "JobReports",
            dependencies: [
                "JobPlanning", "JobManifest", "JobStorage", "Originals", "Imaging", "ObjectStorage",
                "Transport",
                "SQLite", "Files",
            ],
            swiftSettings: strict
        ),
        // From sources to rows.
        .target(
            name: "JobPlanning",
            dependencies: [
                "JobManifest", "JobStorage", "Originals", "Imaging", "ObjectStorage", "Transport", "SQLite",
                "Files",
                "CZlib", "CExpat",
            ],
            swiftSettings: strict
        ),
        // The manifest's language.
        .target(
            name: "JobManifest",
            dependencies: ["ObjectStorage", "Transport", "Imaging", "Files", "CYAML"],
            swiftSettings: strict
        ),

        // The library: Nuke's API.
        .target(
            name: "Nuke",
            dependencies: ["Originals", "ObjectStorage", "Imaging", "Transport", "Files"],
            swiftSettings: safe
        ),
        // The bytes of URLs: fetched, cached, resumed, at a rate that each host accepts.
        .target(
            name: "Originals",
            dependencies: ["Imaging", "ObjectStorage", "Transport", "SQLite", "Files"],
            swiftSettings: safe
        ),

        // What both stand on.
        .target(name: "JobStorage", dependencies: ["SQLite", "Files"], swiftSettings: safe),
        .target(name: "Imaging", dependencies: ["CImageCodecs"], swiftSettings: strict),
        // The protocol of S3, and places that keep objects.
        .target(
            name: "ObjectStorage",
            dependencies: ["Transport", "Files", "CExpat"],
            swiftSettings: strict
        ),
        .target(name: "Transport", dependencies: ["Files", "CTransport"], swiftSettings: strict),
        .target(name: "SQLite", dependencies: ["Files", "CSQLite"], swiftSettings: strict),
        .target(name: "Files", dependencies: ["CFiles", "CCrypto", "CDeflate"], swiftSettings: strict),

        // Where C must be written, and the system's libraries.
        .target(
            name: "CImageCodecs",
            dependencies: [
                "CJPEG", "CPNG", "CWebP", "CZimg", "CLittleCMS", "CDeflate", "CExpat",
            ] + optionalCodecs,
            cSettings: codecMacros + [.headerSearchPath("."), .headerSearchPath("Decoding")],
            linkerSettings: [
                // Its pkg-config names libwebp only up to Debian 12.
                .linkedLibrary("webpmux"),
                .linkedLibrary("avif", .when(traits: ["AVIF"])),
                .linkedLibrary("jxl", .when(traits: ["JXL"])),
            ]
        ),
        .target(
            name: "CTransport",
            dependencies: ["CCurl", "CAres"],
            cSettings: [.define("NB_PLUG_INS", .when(traits: ["PlugIns"]))]
        ),
        .target(name: "CFiles"),
        system("CJPEG", pkgConfig: "libjpeg", apt: "libjpeg-dev", brew: "jpeg-turbo"),
        system("CPNG", pkgConfig: "libpng", apt: "libpng-dev", brew: "libpng"),
        system("CWebP", pkgConfig: "libwebp", apt: "libwebp-dev", brew: "webp"),
        system("CGIF", pkgConfig: "libgif", apt: "libgif-dev", brew: "giflib"),
        system("CTIFF", pkgConfig: "libtiff-4", apt: "libtiff-dev", brew: "libtiff"),
        // The flags of these two are for Windows, and refused: their headers stand where all headers do, and the target above
        // links them.
        system("CAVIF", pkgConfig: nil, apt: "libavif-dev", brew: "libavif"),
        system("CJXL", pkgConfig: nil, apt: "libjxl-dev", brew: "jpeg-xl"),
        system("CHEIF", pkgConfig: "libheif", apt: "libheif-dev", brew: "libheif"),
        system("CDe265", pkgConfig: "libde265", apt: "libde265-dev", brew: "libde265"),
        system("CImageQuant", pkgConfig: "imagequant", apt: "libimagequant-dev", brew: "libimagequant"),
        system("CZimg", pkgConfig: "zimg", apt: "libzimg-dev", brew: "zimg"),
        system("CLittleCMS", pkgConfig: "lcms2", apt: "liblcms2-dev", brew: "little-cms2"),
        system("CExpat", pkgConfig: "expat", apt: "libexpat1-dev", brew: "expat"),
        system("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev", brew: "libyaml"),
        system("CDeflate", pkgConfig: "libdeflate", apt: "libdeflate-dev", brew: "libdeflate"),
        system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
        system("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
        system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
        system("CAres", pkgConfig: "libcares", apt: "libc-ares-dev", brew: "c-ares"),
        system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),

        // An HTTP server on loopback, for the examples and the tests.
        // An S3 store and the services of its credentials are among them.
        .target(name: "LoopbackServer", dependencies: ["Files", "CExpat"], swiftSettings: strict),
        // What every loader must do, for the tests of those who write one.
        .target(
            name: "DataLoadingConformance",
            dependencies: ["Nuke", "LoopbackServer"],
            swiftSettings: strict
        ),

        program("photo-server", in: "Examples/photo-server", ["LoopbackServer"]),
        program("resize-a-file", in: "Examples/resize-a-file", ["Imaging"]),
        program("make-a-thumbnail", in: "Examples/make-a-thumbnail", ["Imaging"]),
        program("download-an-image", in: "Examples/download-an-image", ["Nuke"]),
        program("build-a-job", in: "Examples/build-a-job", ["NukeBatch"]),
        program("load-with-cache", in: "Examples/load-with-cache", ["Nuke"]),
        program("run-a-job", in: "Examples/run-a-job", ["NukeBatch", "JobManifest"]),

        // An object store that goes wrong as it is told, for the fault matrix.
        program("loopback-store", in: "Tests/ObjectStores/loopback", ["LoopbackServer"]),
        .target(
            name: "TestSupport",
            dependencies: ["LoopbackServer", "CFiles", "CImageCodecs", "CZlib"],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        // Manifests in folders of their own, for the tests of the modules that read them.
        .target(
            name: "JobFixtures",
            dependencies: ["JobPlanning", "JobManifest", "JobStorage", "Files", "TestSupport"],
            path: "Tests/JobFixtures",
            swiftSettings: strict
        ),
        // What the tests of caches and of hosts' limits share.
        .target(
            name: "OriginalsFixtures",
            dependencies: ["Originals", "TestSupport"],
            path: "Tests/OriginalsFixtures",
            swiftSettings: strict
        ),
        // A folder of caches of its own for the process of the tests.
        .target(name: "COwnCaches", path: "Tests/COwnCaches"),
        .target(
            name: "CacheTrials",
            dependencies: ["Originals", "SQLite", "Files"],
            path: "Tests/CacheTrials",
            swiftSettings: strict
        ),
        program("imaging-bench", in: "Benchmarks/imaging", ["Imaging"], exclude: ["run"]),
        program(
            "duplicates-bench",
            in: "Benchmarks/duplicates",
            ["Imaging", "TestSupport"],
            exclude: ["run"]
        ),
        program("quality-bench", in: "Benchmarks/quality", ["Imaging"], exclude: ["run", "metric"]),
        program("loading-bench", in: "Benchmarks/loading", ["Nuke"], exclude: ["run", "load_only.c"]),
        program("cache-bench", in: "Benchmarks/cache", ["Nuke", "CacheTrials"], exclude: ["run"]),
        program(
            "listing-bench",
            in: "Benchmarks/listing",
            ["ObjectStorage", "Transport", "Files", "LoopbackServer"],
            exclude: ["run"]
        ),

        // Damaged images under the address sanitizer (`make fuzz`).
        program(
            "fuzz-images",
            in: "Tests/Fuzzing/fuzz-images",
            ["Imaging", "CAllocations", "CFuzzer", "TestSupport"]
        ),
        .target(name: "CAllocations", path: "Tests/Fuzzing/CAllocations"),
        .target(name: "CFuzzer", path: "Tests/Fuzzing/CFuzzer"),
        .testTarget(name: "FilesTests", dependencies: ["Files", "TestSupport"], swiftSettings: tested),
        .testTarget(
            name: "LoopbackServerTests",
            dependencies: ["LoopbackServer", "Files", "TestSupport"],
            swiftSettings: tested
        ),
        .testTarget(name: "SQLiteTests", dependencies: ["SQLite", "TestSupport"], swiftSettings: tested),
        // JPEGs of any layout, for the tests of their decoder.
        .target(name: "CMadeJPEG", dependencies: ["CJPEG"], path: "Tests/CMadeJPEG"),
        .testTarget(
            name: "ImagingTests",
            dependencies: ["Imaging", "CImageCodecs", "CMadeJPEG", "TestSupport"],
            swiftSettings: tested
        ),
        .testTarget(
            name: "ObjectStorageTests",
            dependencies: ["ObjectStorage", "Transport", "Files", "LoopbackServer", "TestSupport"],
            swiftSettings: tested
        ),
        .testTarget(
            name: "TransportTests",
            dependencies: ["Transport", "Files", "LoopbackServer", "TestSupport"],
            swiftSettings: tested
        ),
        .testTarget(
            name: "OriginalsTests",
            dependencies: [
                "Originals", "OriginalsFixtures", "CacheTrials", "COwnCaches", "Transport", "Files", "SQLite",
                "LoopbackServer", "TestSupport",
            ],
            swiftSettings: tested
        ),
        .testTarget(
            name: "NukeTests",
            dependencies: [
                "Nuke", "Originals", "OriginalsFixtures", "DataLoadingConformance", "COwnCaches", "Imaging",
                "Transport", "Files", "SQLite", "LoopbackServer", "TestSupport",
            ],
            swiftSettings: tested
        ),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Nuke", "DataLoadingConformance", "Imaging", "LoopbackServer", "TestSupport", "COwnCaches",
            ],
            swiftSettings: tested
        ),
        .testTarget(
            name: "JobStorageTests",
            dependencies: ["Files", "JobStorage", "SQLite", "TestSupport"],
            swiftSettings: tested
        ),
        .testTarget(
            name: "JobManifestTests",
            dependencies: [
                "JobManifest", "JobPlanning", "JobFixtures", "Imaging", "ObjectStorage", "TestSupport",
            ],
            swiftSettings: tested
        ),
        .testTarget(
            name: "JobPlanningTests",
            dependencies: jobTests + ["ObjectStorage", "Transport"],
            swiftSettings: tested
        ),
        .testTarget(
            name: "JobReportsTests",
            dependencies: jobTests + ["JobReports"],
            swiftSettings: tested
        ),
        .testTarget(
            name: "DatasetsTests",
            dependencies: [
                "Datasets", "JobPlanning", "JobManifest", "JobStorage", "JobFixtures", "Files", "TestSupport",
            ],
            swiftSettings: tested
        ),
        .testTarget(
            name: "NukeBatchTests",
            dependencies: jobTests + [
                "NukeBatch", "Datasets", "ObjectStorage", "Transport", "LoopbackServer",
            ],
            swiftSettings: tested
        ),
        .testTarget(
            name: "FleetTests",
            dependencies: ["Fleet", "JobManifest", "JobPlanning", "Files", "JobFixtures", "TestSupport"],
            swiftSettings: tested
        ),
        .testTarget(
            name: "CommandLineTests",
            dependencies: ["LoopbackServer", "TestSupport", "CacheTrials", "Imaging", "SQLite", "Files"],
            exclude: ["Fixtures"],
            swiftSettings: tested
        ),
    ]
)
