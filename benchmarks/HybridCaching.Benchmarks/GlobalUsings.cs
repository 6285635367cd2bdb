global using GuidCache = HybridCaching.Benchmarks.Contestants.CacheContestant<System.Guid, HybridCaching.Benchmarks.Contestants.GuidKeys>;
global using GuidDictionary = HybridCaching.Benchmarks.Contestants.DictionaryContestant<System.Guid, HybridCaching.Benchmarks.Contestants.GuidKeys>;
global using LongCache = HybridCaching.Benchmarks.Contestants.CacheContestant<long, HybridCaching.Benchmarks.Contestants.LongKeys>;
global using LongDictionary = HybridCaching.Benchmarks.Contestants.DictionaryContestant<long, HybridCaching.Benchmarks.Contestants.LongKeys>;
