import Foundation
import TestSupport
import Testing

@testable import JobPlanning

@Suite(.timeLimit(.minutes(5))) struct ParquetProgramTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @discardableResult
    private func program(_ script: String, as name: String = "nuke-batch-parquet") throws -> String {
        try folder.program(script, to: name)
    }

    private func versions(_ script: String) throws -> [String] {
        try ParquetProgram(environment: ["NUKE_BATCH_PARQUET": try program(script)]).versions()
    }

    @Test("the environment's own path comes before the folders of PATH, whose first program counts")
    func places() throws {
        let first = try program("true", as: "a/nuke-batch-parquet")
        let second = try program("true", as: "b/nuke-batch-parquet")
        let search = "/nowhere:\(folder.path("a")):\(folder.path("b"))"
        #expect(try ParquetProgram(environment: ["PATH": search]).path == first)
        let named = ["PATH": search, "NUKE_BATCH_PARQUET": second]
        #expect(try ParquetProgram(environment: named).path == second)
        #expect(try ParquetProgram(environment: ["PATH": search, "NUKE_BATCH_PARQUET": ""]).path == first)
    }

    @Test("a file that is no program is not taken, and the error names the command that installs it")
    func missing() throws {
        let path = try folder.write("text", to: "nuke-batch-parquet")
        for environment in [["PATH": folder.path], ["NUKE_BATCH_PARQUET": path], [:]] {
            let error = #expect(throws: ParquetError.self) { try ParquetProgram(environment: environment) }
            #expect(error?.description.contains("pipx install nuke-batch-parquet") == true)
        }
    }

    @Test("the program gets no variable that can hold a secret")
    func secrets() throws {
        let path = try program("env")
        let environment = [
            "NUKE_BATCH_PARQUET": path, "TOKEN": "secret", "AWS_SECRET_ACCESS_KEY": "secret",
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": "kept",
        ]
        let told = try ParquetProgram(environment: environment).versions()
        #expect(told.contains("PYTHONPATH=kept") && !told.contains { $0.contains("secret") }, "\(told)")
    }

    @Test(
        "errors are the program's last line, or tell how it ended",
        arguments: [
            ("echo 'first' >&2; echo 'x: is wrong' >&2; exit 4", "x: is wrong"),
            ("exit 9", "ended with exit code 9"),
            ("kill -9 $$", "was killed by SIGKILL"), ("kill -11 $$", "was ended by signal 11"),
        ]
    )
    func ends(script: String, told: String) throws {
        let error = #expect(throws: ParquetError.self) { try versions(script) }
        #expect(error?.description.contains(told) == true, "\(String(describing: error))")
        #expect(try versions("echo a; echo b") == ["a", "b"])
    }
}
