import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

@testable import Transport

/// Lookups of real transfers at a name server on loopback.
@Suite(.timeLimit(.minutes(10))) struct ResolverTests {
    private func transport(_ names: LoopbackNameServer, policy: AddressPolicy = .any) -> Transport {
        var configuration = TransportConfiguration()
        configuration.nameServers = names.address
        configuration.addressPolicy = policy
        return Transport(configuration: configuration)
    }

    private func request(_ host: String, _ server: LoopbackServer, timeout: Duration = .seconds(30))
        -> TransferRequest
    {
        var request = TransferRequest(url: "http://\(host):\(server.port)/", host: host)
        request.connectTimeout = timeout
        request.usesNewConnection = true
        return request
    }

    private func run(_ hosts: [String], _ transport: Transport, _ server: LoopbackServer) async
        -> [TransferOutcome]
    {
        await withTaskGroup(of: TransferOutcome.self) { group in
            for host in hosts { group.addTask { await transport.run(request(host, server)) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("many transfers at once, and later ones, need one question of each family")
    func oneLookup() async throws {
        let server = try LoopbackServer { _ in .data(Data("x".utf8)) }
        let names = try LoopbackNameServer { _ in LoopbackNameServer.here }
        let transport = transport(names)
        for _ in 0..<2 {
            let outcomes = await run(Array(repeating: "one.test", count: 30), transport, server)
            #expect(outcomes.allSatisfy { $0.error == nil && $0.metrics.peerAddress == "127.0.0.1" })
        }
        #expect(names.count("one.test") == 1)
        #expect(names.count("one.test", .aaaa) == 1)
    }

    @Test("a lookup is part of a transfer's times, and its host is unchanged")
    func metrics() async throws {
        let server = try LoopbackServer { _ in .data(Data()) }
        let names = try LoopbackNameServer { _ in LoopbackNameServer.here }
        let transport = transport(names)
        let outcome = await transport.run(request("times.test", server))
        let metrics = outcome.metrics
        let times = [metrics.nameLookup, metrics.connect, metrics.firstByte, metrics.total]
        #expect(metrics.nameLookup > .zero)
        #expect(times == times.sorted())
        #expect(server.requests.first?.headers["host"] == "times.test:\(server.port)")
    }

    @Test(
        "names with a final dot and with an underscore are looked up as they are",
        arguments: ["dot.test.", "a_b.test"]
    )
    func oddNames(host: String) async throws {
        let server = try LoopbackServer { _ in .data(Data()) }
        let names = try LoopbackNameServer { _ in LoopbackNameServer.here }
        let outcome = await transport(names).run(request(host, server))
        #expect(outcome.error == nil)
        #expect(names.count(host.hasSuffix(".") ? String(host.dropLast()) : host) == 1)
    }

    @Test(
        "addresses and localhost are not looked up, with a final dot either",
        arguments: ["127.0.0.1", "localhost", "a.localhost", "localhost.", "a.localhost."]
    )
    func noLookup(host: String) async throws {
        let server = try LoopbackServer { _ in .data(Data()) }
        let names = try LoopbackNameServer { _ in .silence }
        let outcome = await transport(names).run(request(host, server))
        #expect(outcome.error == nil)
        #expect(names.count(host) == 0)
    }

    @Test("the address policy checks the address that a name server gives")
    func policy() async throws {
        let server = try LoopbackServer { _ in .data(Data()) }
        let names = try LoopbackNameServer { _ in LoopbackNameServer.here }
        let outcome = await transport(names, policy: .publicOnly).run(request("inside.test", server))
        #expect(outcome.error?.reason == .address)
        #expect(server.requests.isEmpty)
    }

    @Test(
        "a name that does not exist fails its transfer alone, and is not asked for again at once",
        arguments: [0, 3] as [UInt8]
    )
    func noAddress(code: UInt8) async throws {
        let server = try LoopbackServer { _ in .data(Data()) }
        let names = try LoopbackNameServer { _ in .code(code) }
        let transport = transport(names)
        var counts: [Int] = []
        let start = ContinuousClock.now
        for _ in 0..<2 {
            let error = await transport.run(request("none.test", server)).error
            #expect(error?.reason == .dns)
            #expect(error?.isOfNameServers == false)
            #expect(error?.isTransient == true)
            counts.append(names.count("none.test"))
        }
        // On a slow machine the question may be repeated after two seconds, and its answer be too old after ten.
        let elapsed = start.duration(to: .now)
        #expect(counts[0] == 1 || elapsed > .seconds(2))
        #expect(counts[1] == counts[0] || elapsed > .seconds(10))
    }

    @Test("a domain that fails while others are answered fails alone", arguments: [2, 5] as [UInt8])
    func brokenDomain(code: UInt8) async throws {
        let server = try LoopbackServer { _ in .data(Data()) }
        let names = try LoopbackNameServer { $0.hasPrefix("broken") ? .code(code) : LoopbackNameServer.here }
        let transport = transport(names)
        let broken = TransferRecorder()
        _ = transport.start(request("broken.test", server), delegate: broken)
        try await eventually { names.count("broken.test") > 0 }
        var number = 0
        while broken.outcome.ends == 0 {
            let sound = await transport.run(request("sound-\(number).test", server))
            #expect(sound.error == nil)
            number += 1
        }
        let error = broken.outcome.error
        #expect(error?.reason == .dns)
        #expect(error?.isOfNameServers == false)
        #expect(broken.outcome.metrics.total < .seconds(30))
    }

    @Test(
        "five hosts that fail are an outage if none was ever answered, which an answer ends",
        arguments: [2, 5] as [UInt8]
    )
    func outage(code: UInt8) async throws {
        let server = try LoopbackServer { _ in .data(Data()) }
        let state = Switch()
        let names = try LoopbackNameServer { _ in state.isOn ? LoopbackNameServer.here : .code(code) }
        let transport = transport(names)
        let failed = await run((0..<5).map { "down-\($0).test" }, transport, server)
        #expect(failed.allSatisfy { $0.error?.reason == .dns && $0.error?.isOfNameServers == true })
        // While it lasts, one host that fails is no other case.
        let another = await transport.run(request("another.test", server))
        #expect(another.error?.isOfNameServers == true)
        state.turnOn()
        let outcomes = await run((0..<5).map { "down-\($0).test" }, transport, server)
        #expect(outcomes.allSatisfy { $0.error == nil })
    }

    @Test(
        "whether a host that was answered before still is decides about five that fail",
        arguments: [true, false]
    )
    func outageLater(isAnswered: Bool) async throws {
        let server = try LoopbackServer { _ in .data(Data()) }
        let state = Switch()
        let names = try LoopbackNameServer {
            $0 == "known.test" && (isAnswered || !state.isOn) ? LoopbackNameServer.here : .code(2)
        }
        let transport = transport(names)
        let known = await transport.run(request("known.test", server))
        #expect(known.error == nil)
        state.turnOn()
        let requests = (0..<5).map { request("down-\($0).test", server, timeout: .seconds(3)) }
        let outcomes = await withTaskGroup(of: TransferOutcome.self) { group in
            for request in requests { group.addTask { await transport.run(request) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { $0.error?.reason == .dns && $0.error?.isOfNameServers == !isAnswered })
        #expect(names.count("known.test") >= 2)
        // Its address is known all the while.
        let later = await transport.run(request("known.test", server))
        #expect(later.error == nil)
    }

    @Test(
        "a transfer waits for a silent name server as long as for a connection, and tells that it has stalled"
    )
    func silence() async throws {
        let server = try LoopbackServer { _ in .data(Data()) }
        let names = try LoopbackNameServer { _ in .silence }
        let outcome = await transport(names).run(request("silent.test", server, timeout: .seconds(3)))
        #expect(outcome.error?.reason == .dns)
        #expect(outcome.stalls == 1)
        #expect(outcome.ends == 1)
    }

    @Test("a transfer that waits for its host can be cancelled, and ends with its transport")
    func cancellation() async throws {
        let server = try LoopbackServer { _ in .data(Data()) }
        let names = try LoopbackNameServer { _ in .silence }
        var transport: Transport? = transport(names)
        let recorders = [TransferRecorder(), TransferRecorder()]
        let first = transport?.start(request("silent.test", server), delegate: recorders[0])
        _ = transport?.start(request("silent.test", server), delegate: recorders[1])
        try await eventually { names.count("silent.test") > 0 }
        first?.cancel()
        #expect(await recorders[0].end().error?.reason == .cancelled)
        transport = nil
        #expect(await recorders[1].end().error?.reason == .cancelled)
    }
}

/// A switch that a name server reads on its thread.
private final class Switch: Sendable {
    private let state = Mutex(false)

    var isOn: Bool { state.withLock { $0 } }

    func turnOn() { state.withLock { $0 = true } }
}
