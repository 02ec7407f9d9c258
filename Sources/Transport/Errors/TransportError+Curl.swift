import CTransport
import Foundation

extension TransportError {
    /// Maps libcurl's result codes.
    /// - Parameters:
    ///   - code: The result, not `CURLE_OK`.
    ///   - systemError: The errno of the failed connection; 0 if there was none.
    ///   - detail: The text in libcurl's error buffer.
    init(code: CURLcode, systemError: Int32, detail: String) {
        let text = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self.init(.dns, text)
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: self.init(connectionError: systemError, text)
        case CURLE_OPERATION_TIMEDOUT: self.init(.timeout, text)
        case CURLE_SSL_CONNECT_ERROR:
            // Overloaded servers also break handshakes. Certificate errors have their own codes.
            self.init(.tls, text, isTransient: true)
        case CURLE_GOT_NOTHING: self.init(.empty, "the server closed the connection without a response")
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM: self.init(.reset, text)
        case CURLE_PARTIAL_FILE: self.init(.truncated, text)
        case CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR:
            // Our own receiver records why it ends a transfer; otherwise a decoder of libcurl cannot read the bytes.
            self.init(.integrity, "the content's coding (Content-Encoding) is unknown or damaged: \(text)")
            isContentCodingWrong = true
        case CURLE_FILESIZE_EXCEEDED: self.init(.tooLarge, text)
        case CURLE_URL_MALFORMAT:
            self.init(.badURL, text)
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_PEER_FAILED_VERIFICATION,
            CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED:
            self.init(.tls, text)
        case CURLE_REMOTE_FILE_NOT_FOUND, CURLE_REMOTE_ACCESS_DENIED, CURLE_LOGIN_DENIED,
            CURLE_FTP_COULDNT_RETR_FILE:
            self.init(.notFound, text)
        case CURLE_OUT_OF_MEMORY: self.init(.local(errno: ENOMEM), text)
        default:
            // Includes CURLE_UNSUPPORTED_PROTOCOL: schemes are checked before, so the peer is the cause.
            self.init(.protocol, text)
        }
    }

    private init(connectionError: Int32, _ text: String) {
        switch connectionError {
        case EMFILE, ENFILE, ENOMEM, ENOBUFS, EADDRNOTAVAIL:
            let cause = String(cString: strerror(connectionError))
            self.init(.local(errno: connectionError), "this machine cannot open a connection: \(cause)")
        case ETIMEDOUT: self.init(.timeout, text)
        case ECONNRESET:
            // The server took the connection and closed it before libcurl had looked at it.
            self.init(.reset, text)
        default:
            // Includes ENETUNREACH, which for an IPv6-only host does not concern other hosts.
            self.init(.refused, text)
        }
    }
}
