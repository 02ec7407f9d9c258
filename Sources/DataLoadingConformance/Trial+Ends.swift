import Foundation
import FoundationNetworking
import LoopbackServer

/// The rules for the end of a load.
extension Trial {
    func checkOneCompletion() async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/empty": .data(Data())
            case "/missing": .status(404)
            case "/reset": .init(body: .reset)
            default: .data(Data(count: 100_000))
            }
        }
        for path in ["/body", "/empty", "/missing", "/reset"] {
            let record = LoadRecord()
            let load = start(path, of: server, record: record)
            defer { withExtendedLifetime(load) {} }
            try await wait(for: "the end of \(path)") { record.told.completions > 0 }
            // Late callbacks arrive before the end of a later load.
            _ = try await self.load(server, "/body")
            let told = record.told
            try require(told.completions == 1, "the end of \(path) was told \(told.completions) times")
            try require(!told.isLate, "something was told of \(path) after its end")
        }
    }

    func checkRejectedStatus() async throws {
        for status in [400, 401, 403, 404, 410, 500, 503] {
            let server = try LoopbackServer { _ in .init(status: status, body: .data(Data(count: 10_000))) }
            let told = try await load(server, "/\(status)")
            try require(told.error != nil, "an answer with status \(status) was a success")
            try require(told.body.isEmpty, "bytes of an answer with status \(status) were delivered")
        }
    }

    func checkCutBody() async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/short": .init(body: .truncated(Data(count: 10), declaredLength: 20))
            case "/none": .init(body: .truncated(Data(), declaredLength: 20))
            default: .init(body: .resetAfter(Data(count: 10), declaredLength: 20))
            }
        }
        for path in ["/short", "/none", "/reset"] {
            let told = try await load(server, path)
            try require(told.error != nil, "a body that was cut (\(path)) was a success")
        }
    }

    func checkNoServer() async throws {
        let server = try LoopbackServer { _ in .data(Data("x".utf8)) }
        server.stop()
        let told = try await load(server, "/")
        try require(told.error != nil, "a load without a server was a success")
    }
}
