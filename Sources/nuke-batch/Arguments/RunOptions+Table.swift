import JobManifest
import JobPlanning

extension RunOptions {
    /// The option that names the state file.
    ///
    /// `--state` selects items: each of the two names has one meaning in every command.
    static let stateFile = Option<RunOptions>.value(
        "--state-file",
        \.state,
        as: .file,
        help: "Use FILE as the state file (default: the manifest's, or .nuke-batch/NAME.sqlite)"
    ).inEnvironment("NUKE_BATCH_STATE")

    static let outputFolder = Option<RunOptions>.value(
        "--destination",
        short: "-o",
        \.destination,
        as: .folder,
        help: "Use DIR, a folder or s3://BUCKET/PREFIX, for the outputs"
    ).inEnvironment()

    /// The option that selects a partition, whose state has a name of its own.
    static let partition = Option<RunOptions>.value(
        "--shard",
        \.shard,
        as: .partition,
        help: "Process only partition I of N, with a state file of its own"
    ).inEnvironment()

    /// The options that change what there is to do: `plan` takes them as `run` does.
    static let planning: [Option<RunOptions>] = [
        stateFile,
        outputFolder,
        .value("--cache", \.cache, as: .folder, help: "Use DIR as the cache of originals"),
        .value("--rate", \.rate, as: .rate, help: "Limit the requests to each host, such as 80/s"),
        .value("--only-output", \.onlyOutput, as: .text("NAME"), help: "Make only the output NAME"),
        .flag("--offline", \.isOffline, help: "Use cached originals only; load nothing"),
        .flag("--revalidate", \.isRevalidating, help: "Revalidate every cached original with its origin"),
        .flag(
            "--refresh-encoders",
            \.refreshesEncoders,
            help: "Remake outputs that another version of an encoder made"
        ),
        .flag("--check", \.checksBucket, help: "Look for recorded outputs in a bucket, too, by listing it"),
        .flag("--skip-check", \.skipsCheck, help: "Trust that recorded outputs are still in the destination"),
        partition,
    ].inEnvironment()

    /// The options that change how the work is done.
    static let execution: [Option<RunOptions>] = [
        .value(
            "--concurrency",
            short: "-j",
            \.concurrency,
            as: .number(1...1024),
            help: "Run at most N transfers at once (default: 16)"
        ),
        .value(
            "--per-host",
            \.perHost,
            as: .number(1...1024),
            help: "Run at most N transfers at once to each host (default: 6)"
        ),
        .value(
            "--processing",
            \.processing,
            as: .number(1...1024),
            help: "Process at most N images at once (default: the number of cores)"
        ),
        .value("--memory", \.memory, as: .size, help: "Limit the decoded pixels in memory (default: 1GiB)"),
        .value(
            "--max-duration",
            \.maxDuration,
            as: .duration,
            help: "Start no new items after TIME, such as 4h; exit with 5 if any are left"
        ),
        .value(
            "--limit",
            \.limit,
            as: .number(1...Int.max),
            help: "Stop after N items; exit with 5 if any are left"
        ),
        .value(
            "--fail-on",
            \.failOn,
            as: .failures,
            help:
                "Exit with 1 on any failed item, new ones, more than N% of the items, or never (default: any)"
        ),
    ].inEnvironment()

    static let fresh = Option<RunOptions>.flag(
        "--fresh",
        \.isFresh,
        help: "Forget the state; keep the cache"
    ).inEnvironment()
}

extension ArgumentValue where Value == FailurePolicy {
    fileprivate static var failures: Self {
        let words = ["any", "new", "never"]
        return ArgumentValue(
            "any|new|N%|never",
            form: "any, new, a percentage such as 2%, or never",
            completion: .words(words),
            read: FailurePolicy.init
        )
    }
}

extension ArgumentValue where Value == Rate {
    fileprivate static var rate: Self {
        ArgumentValue("RATE", form: "a rate such as 80/s", read: ManifestValue.rate)
    }
}

extension ArgumentValue where Value == Duration {
    fileprivate static var duration: Self {
        ArgumentValue("TIME", form: "a time such as 30s, 10m or 2h", read: ManifestValue.duration)
    }
}

extension ArgumentValue where Value == Partition {
    fileprivate static var partition: Self {
        ArgumentValue("I/N", form: "a partition such as 1/4", read: Partition.init)
    }
}
