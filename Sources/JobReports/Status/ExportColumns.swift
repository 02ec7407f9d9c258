import Files
import Foundation
public import JobManifest
package import JobPlanning
import ObjectStorage

/// The columns of an export's table: those of every item, then the manifest's facts, then its outputs.
public struct ExportColumns: Sendable {
    private static let ofItem = [
        ParquetColumn("index", .integer), ParquetColumn("id"), ParquetColumn("url"),
        ParquetColumn("location"),
        ParquetColumn("state"), ParquetColumn("priority"), ParquetColumn("attempts", .integer),
        ParquetColumn("error"), ParquetColumn("message"), ParquetColumn("updated", .timestamp),
        ParquetColumn("cacheKey"), ParquetColumn("originalSha256"), ParquetColumn("last.number", .integer),
        ParquetColumn("last.run", .integer), ParquetColumn("last.outcome"),
        ParquetColumn("last.started", .timestamp), ParquetColumn("last.milliseconds", .integer),
        ParquetColumn("last.status", .integer), ParquetColumn("last.bytes", .integer),
    ]
    private static let ofOutput = [
        ParquetColumn("path"), ParquetColumn("state"), ParquetColumn("reason"),
        ParquetColumn("bytes", .integer),
        ParquetColumn("width", .integer), ParquetColumn("height", .integer), ParquetColumn("sha256"),
        ParquetColumn("encoder"), ParquetColumn("spec"), ParquetColumn("quality", .integer),
        ParquetColumn("ssimulacra2", .double), ParquetColumn("shortfall"), ParquetColumn("format"),
    ]
    /// The facts that are numbers.
    private static let numbers: [String: ParquetColumn.Kind] = [
        "size.width": .integer, "size.height": .integer, "orientation": .integer, "exif.iso": .integer,
        "exif.exposureTime": .double, "exif.fNumber": .double, "exif.focalLength": .double,
        "location.latitude": .double, "location.longitude": .double, "location.altitude": .double,
        "pdq.quality": .integer,
    ]

    private let facts: [String]
    private let outputs: [String]

    /// The columns for the items of `manifest`.
    public init(_ manifest: Manifest) {
        facts = manifest.facts.flatMap(\.columns)
        outputs = manifest.outputs.map(\.name)
    }

    /// The names: nested keys are joined with dots, and the values of an output are named after the output.
    public var names: [String] { columns.map(\.name) }

    /// The names with the types of their values.
    private var columns: [ParquetColumn] {
        let ofFacts = facts.map { ParquetColumn("facts.\($0)", Self.numbers[$0] ?? .string) }
        let ofOutputs = outputs.flatMap { output in
            Self.ofOutput.map { ParquetColumn("outputs.\(output).\($0.name)", $0.kind) }
        }
        return Self.ofItem + ofFacts + ofOutputs
    }

    /// The values of an item in the order of the names; empty if unknown.
    public func values(of item: ExportedItem) -> [String] {
        let (last, number) = (item.last, { (value: Int?) in value.map(String.init) ?? "" })
        var values = [
            String(item.index), item.id ?? "", item.url, item.location, item.state, item.priority,
            String(item.attempts), item.error ?? "", item.message ?? "", item.updated, item.cacheKey ?? "",
            item.originalSha256 ?? "", number(last?.number), number(last?.run), last?.outcome ?? "",
            last?.started ?? "", number(last?.milliseconds), number(last?.status), number(last?.bytes),
        ]
        values += facts.map { item.facts?.text(ofColumn: $0) ?? "" }
        for name in outputs {
            let output = item.outputs.first { $0.name == name }
            values += [
                output?.path ?? "", output?.state ?? "", output?.reason ?? "", number(output?.bytes),
                number(output?.width), number(output?.height), output?.sha256 ?? "", output?.encoder ?? "",
                output?.spec ?? "", number(output?.quality), output?.ssimulacra2.map { "\($0)" } ?? "",
                output?.shortfall ?? "", output?.format ?? "",
            ]
        }
        return values
    }

    /// Writes the items that `each` passes on as Parquet, as `writeParquet(toFile:_:)`: to a file or to an object.
    ///
    /// An object is written to a temporary file before.
    /// - Throws: `RunError.wrongInput` without the program that writes Parquet, `RunError.machine`, or what `each` throws.
    package func writeParquet(
        to place: WrittenPlace,
        of manifest: Manifest,
        _ each: ((ExportedItem) -> Void) throws(RunError) -> Void
    ) async throws(RunError) {
        let object: ObjectLocation
        switch place {
        case .path(let path): return try writeParquet(toFile: path, each)
        case .object(let location): object = location
        }
        try await RunError.wrapping {
            let scratch = try ScratchFolder(
                prefix: "nuke-batch-export",
                in: FileManager.default.temporaryDirectory.path
            )
            let file = "\(scratch.path)/export.parquet"
            try writeParquet(toFile: file, each)
            let attributes = ObjectAttributes(contentType: "application/vnd.apache.parquet")
            try await manifest.write(Payload(file: file), attributes, at: object)
            withExtendedLifetime(scratch) {}
        }
    }

    /// Writes the items that `each` passes on to the Parquet file at `path`, relative to the working directory, with the
    /// columns' own types; unknown values are null.
    ///
    /// The file gets its name when it is complete; until then it has the suffix `.part`.
    /// - Throws: `RunError.wrongInput` without the program that writes Parquet, `RunError.machine`, or what `each` throws.
    func writeParquet(
        toFile path: String,
        _ each: ((ExportedItem) -> Void) throws(RunError) -> Void
    ) throws(RunError) {
        let table: ParquetTable
        do {
            table = try ParquetTable(file: path, columns: columns)
        } catch let error as ParquetError {
            throw .wrongInput("\(error)")
        } catch {
            throw RunError(error)
        }
        var failure: (any Error)?
        do throws(RunError) {
            try each { item in
                guard failure == nil else { return }
                let values = values(of: item).map { $0.isEmpty ? nil : $0 }
                do { try table.add(values) } catch { failure = error }
            }
        } catch {
            try? table.discard()
            throw error
        }
        do {
            if let failure { throw failure }
            try table.finish()
        } catch {
            try? table.discard()
            throw RunError(error)
        }
    }
}
