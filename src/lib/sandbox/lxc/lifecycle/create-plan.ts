// What create has found out when its task starts.
import type {Section} from '../../state.ts'

export interface CreatePlan {
  /** The template or the backup. */
  archive: string
  /** Undefined: as the backup says. */
  unprivileged: boolean | undefined
  /** A forced restore over an existing container. */
  existed: boolean
  /** Options that are no volumes, in their stored form. */
  config: Section
  /** rootfs and mpN as they were asked for; empty: by default. */
  mountPoints: Section
  /** Where volumes go that name no storage. */
  storage: string
}
