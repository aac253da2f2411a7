/** The little of Hyperswarm and its hash table that is used here; the packages bring no types. */
declare module 'hyperdht' {
  interface DhtOptions {
    readonly bootstrap?: readonly { readonly host: string; readonly port: number }[] | undefined;
    readonly host?: string | undefined;
    readonly localConnection?: boolean;
    readonly firewalled?: boolean;
  }
  interface Keys {
    readonly publicKey: Buffer;
    readonly secretKey: Buffer;
  }
  interface Dht {
    connect(
      key: Uint8Array,
      options: { readonly keyPair: Keys | undefined },
    ): NodeJS.EventEmitter & { destroy(): void };
    destroy(): Promise<void>;
  }
  const HyperDHT: {
    new (options: DhtOptions): Dht;
    keyPair(seed: Uint8Array): Keys;
  };
  export = HyperDHT;
}

declare module 'hyperswarm' {
  interface SwarmOptions {
    readonly keyPair: { readonly publicKey: Buffer; readonly secretKey: Buffer };
    readonly dht?: object;
    firewall(remotePublicKey: Uint8Array): boolean;
  }
  interface Swarm {
    readonly dht: { bind(): Promise<void>; destroy(options: { readonly force: boolean }): Promise<void> };
    readonly peers: ReadonlyMap<string, { ban(banned: boolean): void }>;
    on(event: 'connection', listener: (stream: SwarmStream) => void): void;
    listen(): Promise<void>;
    joinPeer(key: Buffer): void;
    leavePeer(key: Buffer): void;
    destroy(): Promise<void>;
  }
  interface SwarmStream extends AsyncIterable<Uint8Array> {
    readonly remotePublicKey: Buffer;
    write(bytes: Uint8Array): boolean;
    end(): unknown;
    destroy(): unknown;
    on(event: string, listener: () => void): unknown;
    off(event: string, listener: () => void): unknown;
  }
  const Hyperswarm: new (options: SwarmOptions) => Swarm;
  export = Hyperswarm;
}

declare module '@hyperswarm/testnet' {
  interface Testnet {
    readonly bootstrap: readonly { readonly host: string; readonly port: number }[];
    destroy(): Promise<void>;
  }
  function createTestnet(size: number, options: { readonly host: string }): Promise<Testnet>;
  export = createTestnet;
}
