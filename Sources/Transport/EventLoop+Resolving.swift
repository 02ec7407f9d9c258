import Foundation

/// The transfers that wait for the addresses of their hosts.
extension EventLoop {
    /// Begins a transfer as soon as the addresses of its host are known.
    func resolve(_ transfer: TransferState, as identifier: UInt64) {
        // A proxy looks the names up itself, or may.
        guard configuration.proxy == .none, let host = transfer.request.lookedUpHost else {
            let isProxied = configuration.proxy != .none
            let addresses = isProxied ? nil : transfer.request.localAddresses
            return begin(transfer, as: identifier, addresses: addresses)
        }
        pending[identifier] = transfer
        if let resolution = resolver.resolve(host, for: identifier) {
            resolved([identifier], resolution)
        } else if pending[identifier] != nil {
            look(at: min(transfer.lookupDeadline, transfer.began + configuration.stallTime))
        }
    }

    /// Begins or ends transfers of a host.
    func resolved(_ identifiers: [UInt64], _ resolution: Resolver.Resolution) {
        for identifier in identifiers {
            guard let transfer = pending.removeValue(forKey: identifier) else { continue }
            switch resolution {
            case .addresses(let addresses): begin(transfer, as: identifier, addresses: addresses)
            case .bySystem: begin(transfer, as: identifier, addresses: nil)
            case .failure(let error): finish(transfer, error)
            }
        }
    }

    /// Ends a transfer if it waits.
    func endPending(_ identifier: UInt64, because error: TransportError) {
        guard let transfer = pending.removeValue(forKey: identifier) else { return }
        resolver.abandon(identifier, host: transfer.request.host)
        finish(transfer, error)
    }

    /// Ends the transfers that have waited too long, and reports those that have waited for a while.
    func endOverduePending() {
        for (identifier, transfer) in pending {
            if transfer.lookupDeadline <= .now {
                endPending(identifier, because: resolver.overdueError(of: transfer.request.host))
                continue
            }
            let stall = transfer.began + configuration.stallTime
            if !transfer.isStalled, stall <= .now {
                pending[identifier]?.isStalled = true
                transfer.delegate?.transferDidStall()
            }
            let deadline = transfer.lookupDeadline
            look(at: transfer.isStalled || stall <= .now ? deadline : min(stall, deadline))
        }
    }

    private func finish(_ transfer: TransferState, _ error: TransportError) {
        var metrics = TransferMetrics()
        metrics.total = ContinuousClock.now - transfer.began
        metrics.nameLookup = metrics.total
        transfer.delegate?.transferDidEnd(metrics, error: error)
    }
}

extension TransferState {
    /// The time at which the transfer fails if the addresses of its host are not known yet.
    fileprivate var lookupDeadline: ContinuousClock.Instant {
        began + min(request.connectTimeout, request.totalTimeout)
    }
}
