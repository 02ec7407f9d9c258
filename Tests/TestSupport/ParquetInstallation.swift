import Foundation

/// `nuke-batch-parquet` and pyarrow in a virtual environment below `.build`, which the first use installs if they are not there.
public enum ParquetInstallation {
    private static let folder: String = {
        let folder = Repository.root.appendingPathComponent(".build/parquet").path
        let process = Process()
        process.executableURL = Repository.root.appendingPathComponent("Integrations/parquet/install")
        process.arguments = [folder]
        do {
            try process.run()
            process.waitUntilExit()
        } catch {
            print("Integrations/parquet/install cannot be run: \(error)")
        }
        return folder
    }()

    /// The path of the program.
    public static var program: String { "\(folder)/bin/nuke-batch-parquet" }
    /// The path of a Python that has pyarrow.
    public static var python: String { "\(folder)/bin/python3" }
    /// The variables by which nuke-batch finds the program.
    public static var environment: [String: String] { ["NUKE_BATCH_PARQUET": program] }

    /// Runs a script of Python, with pyarrow as `pa` and `pq`, in `directory`.
    /// - Throws: the error of `Process` if it cannot be started.
    public static func run(
        _ script: String,
        _ arguments: [String] = [],
        in directory: String
    ) async throws -> Program.Outcome {
        let imports = "import json, os, sys\nimport pyarrow as pa\nimport pyarrow.parquet as pq\n"
        return try await Program(path: python, ["-c", imports + script] + arguments, in: directory).wait()
    }
}
