import Foundation
import NukeBatch

extension RunOptions {
    /// What the options of the command line say.
    init(_ arguments: Arguments) throws(Arguments.Failure) {
        self.init()
        state = arguments["--state-file"]
        destination = arguments["--destination"]
        cache = arguments["--cache"]
        concurrency = try arguments.number("--concurrency", 1...1024)
        perHost = try arguments.number("--per-host", 1...1024)
        rate = try arguments.value("--rate", "a rate such as 80/s", ManifestValue.rate)
        processing = try arguments.number("--processing", 1...1024)
        memory = try arguments.size("--memory")
        maxDuration = try arguments.value(
            "--max-duration",
            "a time such as 30s, 10m or 2h",
            ManifestValue.duration
        )
        limit = try arguments.number("--limit", 1...Int.max)
        onlyOutput = arguments["--only-output"]
        isOffline = arguments.has("--offline")
        isRevalidating = arguments.has("--revalidate")
        refreshesEncoders = arguments.has("--refresh-encoders")
        shard = try arguments.value("--shard", "a part such as 1/4", Shard.init)
        isFresh = arguments.has("--fresh")
        suspectProgram = PixelsCommand.program
    }
}

extension Arguments {
    /// The manifest at `path`, its `${NAME}` taken from this process's environment.
    static func manifest(_ path: String) throws(ManifestErrors) -> Manifest {
        try Manifest.read(path: path, environment: ProcessInfo.processInfo.environment)
    }

    /// The option's value as a size in bytes.
    func size(_ option: String) throws(Failure) -> Int? {
        try value(option, "a size such as 500MB or 1GiB", ManifestValue.size)
    }

    /// The priority that waiting items are to have.
    func priority() throws(Failure) -> ItemPriority? {
        let known = ItemPriority.allCases.map(\.rawValue).joined(separator: ", ")
        return try value("--priority", "one of \(known)", ItemPriority.init(rawValue:))
    }

    /// The option's value as a whole number within `range`.
    fileprivate func number(_ option: String, _ range: ClosedRange<Int>) throws(Failure) -> Int? {
        try value(option, "a whole number from \(range.lowerBound) up") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// The option's value as `read` understands it; `form` says what it looks like.
    fileprivate func value<Value>(
        _ option: String,
        _ form: String,
        _ read: (String) -> Value?
    ) throws(Failure) -> Value? {
        guard let text = self[option] else { return nil }
        guard let value = read(text) else { throw Failure(message: "\(option) takes \(form), not \(text)") }
        return value
    }
}
